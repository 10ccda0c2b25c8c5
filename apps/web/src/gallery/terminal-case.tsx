import type { WebSocketLike } from '@holdpoint/client/ticketed-socket'
import { TerminalView } from '../terminal/terminal-view.tsx'

const PICTURE = {
  type: 'screen',
  cols: 60,
  rows: 16,
  data: [
    '\x1b[2m$ npm test -- queue\x1b[0m',
    '\x1b[32m✓\x1b[0m claims one job at a time',
    '\x1b[31m✗\x1b[0m backs off \x1b[2m(41 ms)\x1b[0m',
    '\x1b[36m┌──────────────────────┐\x1b[0m',
    '\x1b[36m│\x1b[0m \x1b[1m1 failed\x1b[0m, 7 passed   \x1b[36m│\x1b[0m',
    '\x1b[36m└──────────────────────┘\x1b[0m',
    '\x1b[7m inverse \x1b[0m \x1b[48;5;24m 256 colours \x1b[0m \x1b[38;2;240;120;90mtrue colour\x1b[0m \x1b[4munderlined\x1b[0m \x1b[9mstruck\x1b[0m',
    '\x1b[30;40mblack on black\x1b[0m a\u202Eb \x1b[8mconcealed\x1b[0m',
    '$ ',
  ].join('\r\n'),
}

const FRAMES: Readonly<Record<string, readonly object[]>> = {
  'terminal--looking': [PICTURE],
  'terminal--someone-else': [PICTURE, { type: 'writer', you: false, busy: true }],
  'terminal--ended': [PICTURE, { type: 'exit', code: 1 }],
  'terminal--connecting': [],
}

/** A terminal whose gateway is in this page and says the same thing each time. */
export const TERMINAL_CASES: readonly string[] = Object.keys(FRAMES)

const OPENERS = new Map(TERMINAL_CASES.map((id) => [id, () => fakeSocket(FRAMES[id] ?? [])]))

export function TerminalCaseView({ id }: { id: string }) {
  const open = OPENERS.get(id)
  return (
    open && (
      <div data-case={id} className="flex h-96 overflow-hidden rounded-xl border border-line">
        <TerminalView open={open} mayType isReachable />
      </div>
    )
  )
}

function fakeSocket(frames: readonly object[]): WebSocketLike {
  const socket: WebSocketLike = {
    onopen: null,
    onmessage: null,
    onerror: null,
    onclose: null,
    send() {},
    close() {},
  }
  queueMicrotask(() => {
    socket.onopen?.({} as never)
    for (const frame of frames) socket.onmessage?.({ data: JSON.stringify(frame) } as never)
  })
  return socket
}
