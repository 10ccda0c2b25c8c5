import { exitCodeOf } from '@holdpoint/agents/pty/exit-code'
import type { HostedConversation } from '@holdpoint/agents/pty/hosted-claude'
import type { TerminalView, TerminalViewer } from '@holdpoint/agents/pty/terminal'
import { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'
import type { Terminals } from '@holdpoint/agents/pty/terminals'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { may } from '../auth/policy.ts'
import type { Context } from '../context.ts'
import { type ErrorCode, refusal } from '../http/errors.ts'
import { issuesOf } from '../http/issues.ts'
import type { SocketRoute } from '../http/socket-route.ts'
import { findSession } from '../sending.ts'
import { createSocketServer, type Peer, type PeerHandlers } from '../stream/socket-server.ts'
import { PtyClientFrame, type PtyServerFrame } from './pty-frames.ts'
import { runningTerminal } from './running-terminal.ts'

const FRAME_LIMIT = 512 * 1024
const OVER = 1000

/** `/api/terminals/:sessionId`: a hosted terminal to look at and, for who may, to type into. */
export function ptySocket(context: Context, terminals: Terminals): SocketRoute {
  return {
    path: '/api/terminals/:sessionId',
    action: 'read-sessions',
    exists: async ({ sessionId }, device) => (await findSession(context, device, sessionId))?.agent === TERMINAL_AGENT,
    server: createSocketServer(context, {
      frameLimit: FRAME_LIMIT,
      serve: (peer) => serve(context, terminals, peer),
    }),
  }
}

type Frame<Type> = Extract<PtyClientFrame, { type: Type }>

function serve(context: Context, terminals: Terminals, peer: Peer): PeerHandlers {
  const gone = new AbortController()
  let view: TerminalView | undefined
  let isOpening = false
  let stopTelling = () => {}

  const send = (frame: PtyServerFrame) => peer.sendTexts([JSON.stringify(frame)])
  const fail = (code: ErrorCode, details: Record<string, unknown> = {}) =>
    peer.send({ type: 'error', ...refusal(code, details).body })

  function end(code: number | undefined) {
    send({ type: 'exit', ...(code !== undefined && { code }) })
    peer.close(OVER, 'the program has ended')
  }

  const viewer: TerminalViewer = {
    onScreen: (screen) => send({ type: 'screen', ...screen }),
    onOutput: (data) => send({ type: 'output', data }),
    onWriter: (writer) => send({ type: 'writer', ...writer }),
    onExit: end,
    get writable() {
      return peer.writable
    },
    ready: () => peer.ready(),
  }

  async function onView({ cols, rows, scrollback }: Frame<'view'>) {
    if (view) return view.resize({ cols, rows })
    if (isOpening) return
    isOpening = true
    for (;;) {
      const session = await findSession(context, peer.device, peer.params.sessionId)
      if (!session || gone.signal.aborted) return
      if (session.state === 'dead') return end(exitCodeOf(session.endReason))
      const running = await runningTerminal(context, terminals, { id: session.id, signal: gone.signal })
      if (gone.signal.aborted) return
      if (!running) continue
      view = running.terminal.view(viewer, { cols, rows, scrollback, mayType: may(peer.device, 'send-message') })
      tellConversation(running.conversation)
      // Gone without an exit code, as when it was killed: then the record says how it ended.
      void running.terminal.exited.then((code) => {
        if (code === undefined && !gone.signal.aborted) end(undefined)
      })
      return
    }
  }

  function tellConversation(conversation: HostedConversation | undefined) {
    if (!conversation) return
    const tell = () => send({ type: 'conversation', state: conversation.state })
    stopTelling = conversation.subscribe(tell)
    if (conversation.state !== 'none') tell()
  }

  function onInput({ data }: Frame<'input'>) {
    // The socket was opened a while ago: what its credential may do is read again each time (I8).
    const device = context.devices.current(peer.device.id)
    if (!device || !may(device, 'send-message')) return fail('forbidden')
    if (!view) return fail('invalid_request', { issues: ['view comes first'] })
    if (!view.input(data)) fail('busy')
  }

  return {
    onMessage(text) {
      const parsed = text === undefined ? undefined : parseStrictJson(text)
      if (!parsed?.ok) {
        fail('malformed_json')
        return false
      }
      const frame = PtyClientFrame.safeParse(parsed.value)
      if (!frame.success) {
        fail('invalid_request', { issues: issuesOf(frame.error) })
        return false
      }
      if (frame.data.type === 'input') onInput(frame.data)
      else if (frame.data.type === 'resize') view?.resize(frame.data)
      else
        void onView(frame.data).catch((error: unknown) => {
          context.log.error('a terminal could not be shown', { error: String(error) })
          peer.close(1011, 'something went wrong')
        })
      return true
    },
    onDrain() {},
    onClose() {
      gone.abort()
      stopTelling()
      view?.close()
    },
  }
}
