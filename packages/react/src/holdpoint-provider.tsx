import type { GatewayClient } from '@holdpoint/client/gateway-client'
import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { watchTyping } from './typing.tsx'

const ClientContext = createContext<GatewayClient | undefined>(undefined)

/** Gives everything below it one client. It neither opens nor closes it: whoever made the client owns it. */
export function HoldpointProvider({ client, children }: { client: GatewayClient; children: ReactNode }) {
  useEffect(watchTyping, [])
  return <ClientContext value={client}>{children}</ClientContext>
}

export function useClient(): GatewayClient {
  const client = useContext(ClientContext)
  if (!client) throw new Error('there is no <HoldpointProvider> above this component')
  return client
}
