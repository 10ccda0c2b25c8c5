import type { HostedConversation } from '@holdpoint/agents/claude/screen/hosted-claude'
import type { Terminals } from '@holdpoint/agents/hosted/terminals'
import { exitCodeOf } from '@holdpoint/agents/terminal/exit-code'
import type { TerminalView, TerminalViewer } from '@holdpoint/agents/terminal/terminal'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import { socketPaths } from '@holdpoint/schema/paths'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { PtyClientFrame, type PtyServerFrame } from '@holdpoint/schema/terminal-stream'
import { may } from '../auth/policy.ts'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { readLastScreen } from '../terminals/last-screens.ts'
import { runningTerminal } from '../terminals/running-terminal.ts'
import { type ErrorDetails, refusal } from '../transport/errors.ts'
import { issuesOf } from '../transport/issues.ts'
import type { SocketRoute } from '../transport/socket-route.ts'
import { createSocketServer, type Peer, type PeerHandlers } from '../transport/socket-server.ts'

const FRAME_LIMIT = 512 * 1024
const OVER = 1000

type Deps = Pick<Services, 'ledger' | 'store' | 'records' | 'devices' | 'unread' | 'log'>

/** `/api/terminals/:sessionId`: a hosted terminal to look at and, for who may, to type into. */
export function ptySocket(services: Deps, terminals: Terminals): SocketRoute {
  return {
    path: socketPaths.terminal,
    action: 'read-sessions',
    exists: async ({ sessionId }, device) => (await findSession(services, device, sessionId))?.agent === TERMINAL_AGENT,
    server: createSocketServer(services, {
      frameLimit: FRAME_LIMIT,
      serve: (peer) => serve(services, terminals, peer),
    }),
  }
}

type Frame<Type> = Extract<PtyClientFrame, { type: Type }>

function serve(services: Deps, terminals: Terminals, peer: Peer): PeerHandlers {
  const gone = new AbortController()
  let view: TerminalView | undefined
  let isOpening = false
  let stopTelling = () => {}

  const send = (frame: PtyServerFrame) => peer.sendTexts([JSON.stringify(frame)])
  const fail = (code: ErrorCode, details: ErrorDetails = {}) =>
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
      const session = await findSession(services, peer.device, peer.params.sessionId)
      if (!session || gone.signal.aborted) return
      if (session.state === 'dead') {
        const last = await readLastScreen(services.records, session)
        if (gone.signal.aborted) return
        if (last) viewer.onScreen(last)
        return end(exitCodeOf(session.endReason))
      }
      const running = await runningTerminal(services, terminals, { id: session.id, signal: gone.signal })
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
    const device = services.devices.current(peer.device.id)
    if (!device || !may(device, 'send-message')) return fail('forbidden')
    if (!view) return fail('invalid_request', { issues: ['send a view frame first'] })
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
          services.log.error('terminal_not_shown', { error: String(error) })
          peer.close(1011, 'internal error')
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
