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

/** One gateway's connection. What is left of a line when it ends is discarded: the gateway died while writing it. */
export class Connection implements Outlet {
  readonly #socket: Socket
  readonly #splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES })

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

  send(message: HostMessage): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  /** Lets what was sent out, then closes. Nothing more is read. A gateway that does not read cannot hold it up. */
  close(): Promise<void> {
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
