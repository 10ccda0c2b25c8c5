import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Session } from '@holdpoint/schema/session'
import { useMemo, useSyncExternalStore } from 'react'
import { calmSessions } from './calm-sessions.ts'

/** All sessions, in no order, at the pace of a list that is read. */
export function useCalmSessions(): readonly Session[] {
  const client = useClient()
  const calm = useMemo(() => calmSessions(client), [client])
  return useSyncExternalStore(calm.subscribe, calm.getSessions)
}
