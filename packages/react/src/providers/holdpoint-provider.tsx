import type { GatewayClient } from '@holdpoint/client/gateway-client'
import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { watchTyping } from '../ui/typing.tsx'
import { type CardEntry, CardsProvider } from './cards-provider.tsx'
import { TransportProvider } from './transport-provider.tsx'

const ClientContext = createContext<GatewayClient | undefined>(undefined)

export interface HoldpointProviderProps {
  readonly client: GatewayClient
  /** Cards of the app's own for some asks; the same array from one rendering to the next. */
  readonly cards?: readonly CardEntry[] | undefined
  readonly children: ReactNode
}

/** Gives everything below it one client, and the client's transport. It neither opens nor closes the client: that is for the code that created it. */
export function HoldpointProvider({ client, cards, children }: HoldpointProviderProps) {
  useEffect(watchTyping, [])
  const { transport } = client
  const inside = <CardsProvider cards={cards}>{children}</CardsProvider>
  return (
    <ClientContext value={client}>
      {transport ? <TransportProvider transport={transport}>{inside}</TransportProvider> : inside}
    </ClientContext>
  )
}

export function useClient(): GatewayClient {
  const client = useContext(ClientContext)
  if (!client) throw new Error('there is no <HoldpointProvider> above this component')
  return client
}
