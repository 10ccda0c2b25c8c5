import { ticketedSocket } from '@holdpoint/client/ticketed-socket'
import { useLink } from '@holdpoint/react/hooks/use-link'
import { useTransport } from '@holdpoint/react/hooks/use-transport'
import type { SessionId } from '@holdpoint/schema/id'
import { socketPaths } from '@holdpoint/schema/paths'
import { useCallback, useMemo } from 'react'
import { useMayAct } from '../account/me.tsx'
import { conversationCalls } from './conversation-calls.ts'
import { TerminalView } from './terminal-view.tsx'

/** The terminal of a session that the gateway runs in one. */
export function TerminalPane({ sessionId }: { sessionId: SessionId }) {
  const { state } = useLink()
  const mayType = useMayAct()
  const transport = useTransport()
  const open = useCallback(
    () =>
      ticketedSocket(transport, {
        path: socketPaths.terminal.replace(':sessionId', encodeURIComponent(sessionId)),
        open: (path) => new WebSocket(location.origin.replace(/^http/, 'ws') + path),
      }),
    [transport, sessionId],
  )
  const conversation = useMemo(() => conversationCalls(transport, sessionId), [transport, sessionId])
  return <TerminalView open={open} mayType={mayType} conversation={conversation} isReachable={state === 'live'} />
}
