import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { useGateway } from './use-gateway.tsx'

/** One session; undefined while there is none of this id. */
export function useSession(id: SessionId): Session | undefined {
  return useGateway(({ sessions }) => sessions.get(id))
}
