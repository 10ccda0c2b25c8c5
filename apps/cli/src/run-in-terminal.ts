import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { socketPaths } from '@holdpoint/schema/paths'
import type { PtyServerFrame } from '@holdpoint/schema/terminal-stream'
import type { WebSocket } from 'ws'
import { type Api, ApiError } from './api.ts'
import type { AddressFlags } from './gateway-address.ts'
import { createLeaveKeys, LEAVE_KEYS, LEAVE_WORDS, withoutReplies } from './run-keys.ts'
import { BEEP, firstScreen, hintLine, nextScreen, RESET, statusLine } from './run-screen.ts'
import { type HostLife, watchForStop } from './stop-watch.ts'

const RETRY_MS = 300
/** A gateway that is back this soon needs no message. */
const QUIET_MS = 1500
/** Limit: a program may draw invisible output without end (I10). */
const MAX_HELD = 100
/** HTTP status of a handshake for which a retry cannot help. */
const FINAL = new Set([401, 403, 404])

export type RunEnd =
  | { readonly how: 'left' }
  | { readonly how: 'ended'; readonly code?: number }
  /** With the gateway and the host that held it. */
  | { readonly how: 'stopped' }

export interface RunOptions {
  readonly api: Api
  readonly address: AddressFlags
  readonly sessionId: string
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** Shows a hosted terminal in this one until its program ends or the person leaves. Always restores the terminal. */
export async function runInTerminal({ api, address, sessionId, input, output }: RunOptions): Promise<RunEnd> {
  const leaveKeys = createLeaveKeys()
  let socket: WebSocket | undefined
  let hasScreen = false
  let end = (_how: RunEnd) => {}
  let fail = (_error: unknown) => {}
  const over = new Promise<RunEnd>((resolve, reject) => {
    end = resolve
    fail = reject
  })
  let isOver = false
  let hostLife: () => Promise<HostLife> = async () => 'unknown'
  let life: HostLife = 'unknown'
  let isWatched = false

  const size = () => ({ cols: output.columns || 80, rows: output.rows || 24 })
  const write = (data: string) => void output.write(data)

  /** Frames that show nothing are kept back, so that the hint about leaving stays until the program draws. */
  let held: PtyServerFrame[] | undefined = []

  function showHeld() {
    const frames = isOver ? [] : (held ?? [])
    held = undefined
    for (const frame of frames) onFrame(frame)
  }

  function onMessage(frame: PtyServerFrame) {
    if (frame.type === 'screen' && !isWatched) {
      isWatched = true
      if (isUnseen(frame)) write(hintLine(`Press ${LEAVE_WORDS} to leave; the program keeps running in Holdpoint.`))
      // Now, while the host is known to run.
      watchForStop(address).then((look) => {
        hostLife = look
      }, fail)
    }
    if (held && held.length < MAX_HELD && isUnseen(frame)) return void held.push(frame)
    showHeld()
    onFrame(frame)
  }

  /** False when there is no connection. */
  function send(frame: object): boolean {
    if (!socket || socket.readyState !== socket.OPEN) return false
    socket.send(JSON.stringify(frame))
    return true
  }

  function onInput(typed: string) {
    const { forward, isLeaving } = leaveKeys(withoutReplies(typed))
    if (forward !== '') {
      showHeld()
      // Not kept for later: by then the program may ask something else.
      if (!send({ type: 'input', data: forward })) write(hasScreen ? BEEP + awayLine() : BEEP)
    }
    if (isLeaving) end({ how: 'left' })
  }

  function awayLine(): string {
    const runs = life === 'running' ? 'still runs' : 'may still run'
    return statusLine(`Gateway unreachable, keys are lost. Program ${runs}; ${LEAVE_KEYS} leaves it.`, size())
  }

  const onResize = () => void send({ type: 'resize', ...size() })
  // The terminal was closed; the program keeps running.
  const onHangUp = () => end({ how: 'left' })

  function onFrame(frame: PtyServerFrame) {
    switch (frame.type) {
      case 'screen':
        write(hasScreen ? nextScreen(frame.data) : firstScreen(frame.data, size().rows))
        hasScreen = true
        return
      case 'output':
        return write(frame.data)
      case 'exit':
        return end({ how: 'ended', ...(frame.code !== undefined && { code: frame.code }) })
      case 'error':
        // Somebody else types: a beep, as for every key that does nothing.
        return write(BEEP)
      case 'writer':
      case 'conversation':
        return
      default:
        return frame satisfies never
    }
  }

  /** One connection, until it closes. Throws when a retry cannot help. */
  async function connect(): Promise<void> {
    const current = await api.socket(socketPaths.terminal.replace(':sessionId', sessionId))
    socket = current
    await new Promise<void>((resolve, reject) => {
      current.on('open', () => send({ type: 'view', ...size(), scrollback: hasScreen ? 0 : 1000 }))
      current.on('message', (data) => onMessage(JSON.parse(String(data)) as PtyServerFrame))
      current.on('unexpected-response', (_, response) => {
        const status = response.statusCode ?? 0
        current.terminate()
        if (FINAL.has(status)) reject(new ApiError(status, undefined))
        else resolve()
      })
      current.on('error', () => {})
      current.on('close', () => {
        showHeld()
        resolve()
      })
    })
  }

  async function stayConnected() {
    let lostAt: number | undefined
    while (!isOver) {
      const since = performance.now()
      await connect().catch((error: unknown) => {
        if (error instanceof ApiError) throw error
      })
      if (performance.now() - since > RETRY_MS) lostAt = undefined
      lostAt ??= performance.now()
      if (hasScreen && !isOver) {
        life = await hostLife()
        if (life === 'stopped') return end({ how: 'stopped' })
        if (performance.now() - lostAt > QUIET_MS) write(awayLine())
      }
      await delay(RETRY_MS)
    }
  }

  input.setRawMode(true)
  input.setEncoding('utf8')
  input.on('data', onInput)
  input.resume()
  output.on('resize', onResize)
  for (const signal of ['SIGHUP', 'SIGTERM'] as const) process.on(signal, onHangUp)
  try {
    stayConnected().catch(fail)
    return await over
  } finally {
    isOver = true
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) process.off(signal, onHangUp)
    output.off('resize', onResize)
    input.off('data', onInput)
    input.pause()
    input.setRawMode(false)
    if (hasScreen) output.write(`${RESET}\r\n`)
    socket?.terminate()
  }
}

function isUnseen(frame: PtyServerFrame): boolean {
  if (frame.type === 'screen' || frame.type === 'output') return stripVTControlCharacters(frame.data).trim() === ''
  return frame.type === 'writer' || frame.type === 'conversation'
}
