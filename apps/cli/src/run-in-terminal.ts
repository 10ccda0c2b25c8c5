import { setTimeout as delay } from 'node:timers/promises'
import type { PtyServerFrame } from '@holdpoint/server/terminals/pty-frames'
import type { WebSocket } from 'ws'
import { type Api, ApiError } from './api.ts'
import { type AddressFlags, gatewayAddress } from './gateway-address.ts'
import { createLeaveKeys, LEAVE_WORDS, withoutReplies } from './run-keys.ts'
import { firstScreen, nextScreen, RESET, statusLine } from './run-screen.ts'

const RETRY_MS = 300
/** A gateway that is back this soon is not worth a word. */
const QUIET_MS = 1500
/** Status of a handshake that will not be otherwise the next time. */
const FINAL = new Set([401, 403, 404])

export type RunEnd = { readonly how: 'left' } | { readonly how: 'ended'; readonly code?: number }

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

  const size = () => ({ cols: output.columns || 80, rows: output.rows || 24 })
  const send = (frame: object) => socket?.readyState === socket?.OPEN && socket?.send(JSON.stringify(frame))

  function onInput(typed: string) {
    const { forward, isLeaving } = leaveKeys(withoutReplies(typed))
    if (forward !== '') send({ type: 'input', data: forward })
    if (isLeaving) end({ how: 'left' })
  }
  const onResize = () => void send({ type: 'resize', ...size() })
  // The terminal is closed under us: the program goes on.
  const onHangUp = () => end({ how: 'left' })

  function onFrame(frame: PtyServerFrame) {
    switch (frame.type) {
      case 'screen':
        output.write(hasScreen ? nextScreen(frame.data) : firstScreen(frame.data, size().rows))
        hasScreen = true
        return
      case 'output':
        return void output.write(frame.data)
      case 'exit':
        return end({ how: 'ended', ...(frame.code !== undefined && { code: frame.code }) })
      case 'error':
        // Somebody else types: a beep, as for every key that does nothing.
        return void output.write('\x07')
      case 'writer':
      case 'conversation':
        return
      default:
        return frame satisfies never
    }
  }

  /** One connection, until it closes. Throws when there is no use in another. */
  async function connect(): Promise<void> {
    const current = api.at(await gatewayAddress(address)).socket(`/api/terminals/${sessionId}`)
    socket = current
    await new Promise<void>((resolve, reject) => {
      current.on('open', () => send({ type: 'view', ...size(), scrollback: hasScreen ? 0 : 1000 }))
      current.on('message', (data) => onFrame(JSON.parse(String(data)) as PtyServerFrame))
      current.on('unexpected-response', (_, response) => {
        const status = response.statusCode ?? 0
        current.terminate()
        if (FINAL.has(status)) reject(new ApiError(status, undefined))
        else resolve()
      })
      current.on('error', () => {})
      current.on('close', () => resolve())
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
      if (hasScreen && !isOver && performance.now() - lostAt > QUIET_MS) {
        output.write(
          statusLine(
            `The gateway is away. The program goes on, unless all was stopped; ${LEAVE_WORDS} leaves it.`,
            size(),
          ),
        )
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
