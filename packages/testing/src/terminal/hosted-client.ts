import headless from '@xterm/headless'
import { WebSocket } from 'ws'

export interface HostedFrame {
  readonly type: string
  readonly data?: string
  readonly cols?: number
  readonly rows?: number
  readonly you?: boolean
  readonly busy?: boolean
  readonly code?: number
  readonly state?: string
  readonly error?: { readonly code: string }
}

const DEADLINE_MS = 20_000
const LOOK_MS = 15

/** Somebody who looks at a hosted terminal over its socket, as the web app does. For tests. */
export async function viewHosted(options: {
  readonly url: string
  readonly token: string
  readonly sessionId: string
  readonly cols?: number
  readonly rows?: number
  readonly scrollback?: number
}) {
  const { cols = 100, rows = 40, scrollback } = options
  const socket = new WebSocket(`${options.url.replace(/^http/, 'ws')}/api/terminals/${options.sessionId}`, {
    headers: { authorization: `Bearer ${options.token}` },
  })
  const terminal = new headless.Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true })
  const frames: HostedFrame[] = []
  let characters = 0
  let closed: number | undefined
  let drawn: Promise<void> = Promise.resolve()
  /** One after another: a terminal draws later, but is reset at once, and must not draw old output on a new screen. */
  const draw = (frame: HostedFrame) =>
    new Promise<void>((resolve) => {
      if (frame.type === 'screen') {
        terminal.reset()
        terminal.resize(frame.cols ?? cols, frame.rows ?? rows)
      }
      terminal.write(frame.data ?? '', resolve)
    })
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as HostedFrame
    if (frame.type === 'output') characters += frame.data?.length ?? 0
    else frames.push(frame)
    drawn = drawn.then(() => draw(frame))
  })
  socket.on('close', (code) => {
    closed = code
  })
  socket.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (_, response) => reject(new Error(`status ${response.statusCode}`)))
    socket.once('error', reject)
  })
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  send({ type: 'view', cols, rows, ...(scrollback !== undefined && { scrollback }) })

  function screen(): string {
    const { active } = terminal.buffer
    const lines = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row))
    return lines
      .map((line) => line?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd()
  }

  async function until<Value>(look: () => Value | undefined | false, what: string): Promise<Value> {
    const end = performance.now() + DEADLINE_MS
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (performance.now() > end) throw new Error(`gave up waiting for ${what}:\n${screen()}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  return {
    frames,
    send,
    screen,
    type: (data: string) => send({ type: 'input', data }),
    resize: (size: { cols: number; rows: number }) => send({ type: 'resize', ...size }),
    waitFor: (wanted: string | RegExp) =>
      until(
        () => (typeof wanted === 'string' ? screen().includes(wanted) : wanted.test(screen())) && screen(),
        `${wanted}`,
      ),
    frame: (fits: (frame: HostedFrame) => boolean, what = 'a frame') => until(() => frames.findLast(fits), what),
    /** What was last said about the keyboard. */
    writer: () => frames.findLast(({ type }) => type === 'writer'),
    /** How much output has come, screens left out. */
    characters: () => characters,
    closed: () => until(() => closed, 'the end'),
    close() {
      socket.terminate()
      terminal.dispose()
    },
  }
}
