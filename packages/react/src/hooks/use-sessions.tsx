import type { Session } from '@holdpoint/schema/session'
import { useGateway } from './use-gateway.tsx'

/** All sessions, newest change first. */
export function useSessions(): readonly Session[] {
  return useGateway(({ sessions }) =>
    [...sessions.values()].sort((left, right) => right.stateChangedAt - left.stateChangedAt),
  )
}
