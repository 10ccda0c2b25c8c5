import type { GatewayState } from '@holdpoint/client/gateway-client'
import { useCallback, useRef, useSyncExternalStore } from 'react'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { sameShallow } from './same-shallow.ts'

/**
 * What the selector makes of the gateway's state; renders again only when that is another value: one level deep, unless
 * `isSame` says what counts.
 */
export function useGateway<Selected>(
  selector: (state: GatewayState) => Selected,
  isSame: (before: Selected, after: Selected) => boolean = sameShallow,
): Selected {
  const client = useClient()
  const last = useRef<{ readonly value: Selected }>(undefined)
  const subscribe = useCallback((listener: () => void) => client.subscribe(listener), [client])
  const getSelected = () => {
    const value = selector(client.getState())
    if (!last.current || !isSame(last.current.value, value)) last.current = { value }
    return last.current.value
  }
  return useSyncExternalStore(subscribe, getSelected, getSelected)
}
