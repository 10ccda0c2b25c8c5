import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import { openAsksOf } from '../asks/ask-index.ts'
import { useGateway } from './use-gateway.tsx'

/** The open asks, oldest first; with an id, those of one session. */
export function useAsks(sessionId?: SessionId): readonly Ask[] {
  return useGateway(({ asks }) => (sessionId === undefined ? asks : openAsksOf(asks, sessionId)))
}
