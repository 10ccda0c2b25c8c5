import { useLink } from '@holdpoint/react/use-link'
import type { SessionId } from '@holdpoint/schema/id'
import { useCallback } from 'react'
import { useMayAct } from '../me.tsx'
import { terminalAddress } from './terminal-link.ts'
import { TerminalView } from './terminal-view.tsx'

/** The terminal of a session that the gateway runs in one. */
export function TerminalPane({ sessionId }: { sessionId: SessionId }) {
  const { state } = useLink()
  const mayType = useMayAct()
  const open = useCallback(() => new WebSocket(terminalAddress(sessionId)), [sessionId])
  return <TerminalView open={open} mayType={mayType} isReachable={state === 'live'} />
}
