import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Me } from '@holdpoint/schema/endpoints/account'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

const MeContext = createContext<Me | undefined>(undefined)

/** Who this browser is to the gateway. Asked again with each new connection: roles and the gateway itself may change. */
export function MeProvider({ children }: { children: ReactNode }) {
  const client = useClient()
  const { state } = useLink()
  const [me, setMe] = useState<Me>()
  useEffect(() => {
    if (state !== 'live') return
    let current = true
    client.me().then(
      (result) => {
        if (current && result.ok) setMe(result.value)
      },
      // The link itself says that the gateway is gone; the next connection asks again.
      () => {},
    )
    return () => {
      current = false
    }
  }, [client, state])
  return <MeContext value={me}>{children}</MeContext>
}

/** `undefined` until the gateway has said. */
export function useMe(): Me | undefined {
  return useContext(MeContext)
}

/** Whether this browser may do what only owners may. Assumed until known: the gateway decides in any case. */
export function useIsOwner(): boolean {
  const me = useMe()
  return me === undefined || (me.device.role === 'owner' && me.device.sessionIds === undefined)
}

/** Whether this browser may answer and write. */
export function useMayAct(): boolean {
  const role = useMe()?.device.role
  return role === undefined || role === 'owner' || role === 'approver'
}
