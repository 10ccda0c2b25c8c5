import type { Socket } from 'node:net'
import type { HostMessage } from '../wire/host-message.ts'
import { LineSplitter } from '../wire/line-splitter.ts'
import { type GatewayMessage, MAX_LINE_BYTES, readGatewayMessage } from '../wire/protocol.ts'
import type { Outlet } from './agent-process.ts'

export interface ConnectionEvents {
  onMessage(message: GatewayMessage): void
  onDrain(): void
  onClose(): void
}

const CLOSE_MS = 1000
/** How long a message waits for others that nobody waits for. */
const TOGETHER_MS = 4

/** One gateway's connection. What is left of a line when it ends is discarded: the gateway died while writing it. */
export class Connection implements Outlet {
  readonly #socket: Socket
  readonly #splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES })
  /** Runs while messages are held back. */
  #together: NodeJS.Timeout | undefined

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      for (const line of this.#splitter.push(chunk)) this.#receive(line, events)
      if (this.#splitter.tooLong) this.#breakOff('line-too-long', `a message has more than ${MAX_LINE_BYTES} bytes`)
    })
    socket.on('drain', () => events.onDrain())
    socket.on('close', () => events.onClose())
    socket.on('error', () => {})
  }

  get ready(): boolean {
    return !this.#socket.writableNeedDrain && this.#socket.writable
  }

  send(message: HostMessage, when: 'now' | 'soon' = 'now'): void {
    if (!this.#socket.writable) return
    if (when === 'soon' && this.#together === undefined) {
      // One write, and one wake-up of the gateway, for the many lines that an agent prints at a time.
      this.#socket.cork()
      this.#together = setTimeout(() => this.#flush(), TOGETHER_MS)
    }
    this.#socket.write(`${JSON.stringify(message)}\n`)
    if (when === 'now' || this.#socket.writableNeedDrain) this.#flush()
  }

  #flush(): void {
    if (this.#together === undefined) return
    clearTimeout(this.#together)
    this.#together = undefined
    this.#socket.uncork()
  }

  /** Lets what was sent out, then closes. Nothing more is read. A gateway that does not read cannot hold it up. */
  close(): Promise<void> {
    this.#flush()
    this.#socket.removeAllListeners('data')
    this.#socket.resume()
    this.#socket.end()
    const late = setTimeout(() => this.#socket.destroy(), CLOSE_MS)
    return new Promise((resolve) => {
      const closed = (): void => {
        clearTimeout(late)
        resolve()
      }
      if (this.#socket.closed) closed()
      else this.#socket.once('close', closed)
    })
  }

  #receive(line: Buffer, events: ConnectionEvents) {
    if (!this.#socket.writable) return
    const message = readGatewayMessage(line.toString())
    if (message.t === 'error') return this.send(message)
    try {
      events.onMessage(message)
    } catch (error) {
      // A fault here must not end the process: every agent would end with it. The gateway has to start over instead.
      console.error('fault in', message.t, error)
      this.#breakOff('fault', `the host failed in ${message.t}`)
    }
  }

  #breakOff(code: string, message: string): void {
    this.send({ t: 'error', code, message })
    void this.close()
  }
}
