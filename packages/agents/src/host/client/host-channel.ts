import type { Socket } from 'node:net'
import { HostMessage } from '../wire/host-message.ts'
import { LineSplitter } from '../wire/line-splitter.ts'
import { type GatewayMessage, MAX_LINE_BYTES } from '../wire/protocol.ts'
import { HostError, hostErrorFrom } from './host-error.ts'

type Request = Extract<GatewayMessage, { id: number }>
type Unnumbered<T> = T extends { id: number } ? Omit<T, 'id'> : never
type Acknowledgement = Extract<GatewayMessage, { t: 'ack' }>
export type Reply = Extract<HostMessage, { re: number }>

/** The longest text there can be. A line of 64 MiB grows up to sixfold when its characters have to be escaped. */
const MAX_MESSAGE_BYTES = 500 * 1024 * 1024
/** How long an acknowledgement waits for a message to go with. */
const ACKNOWLEDGE_MS = 20

export interface ChannelEvents {
  /** What the host says by itself. */
  onMessage(message: HostMessage): void
  onClose(error: HostError): void
}

/** The gateway's end of the socket: requests and their replies. */
export class HostChannel {
  readonly #socket: Socket
  readonly #events: ChannelEvents
  readonly #waiting = new Map<number, { receive: (reply: Reply) => void; reject: (error: HostError) => void }>()
  /** The newest of each agent that has not left. */
  readonly #acknowledged = new Map<string, number>()
  #acknowledging: NodeJS.Timeout | undefined
  #lastId = 0
  #closed: HostError | undefined

  constructor(socket: Socket, events: ChannelEvents) {
    this.#socket = socket
    this.#events = events
    const splitter = new LineSplitter({ maxBytes: MAX_MESSAGE_BYTES })
    socket.on('data', (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) {
        const message = read(line)
        if (this.#closed || !message) continue
        if (!this.#settle(message)) events.onMessage(message)
      }
      if (splitter.tooLong) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#close(new HostError('host-gone', 'the connection to the host is lost')))
  }

  send(message: Exclude<GatewayMessage, Request | Acknowledgement>): void {
    if (!this.#closed) this.#write(JSON.stringify(message))
  }

  /** It only lets the host forget: it goes with the next message, or some milliseconds later, and wakes nobody before. */
  acknowledge({ key, line }: { key: string; line: number }): void {
    if (this.#closed) return
    this.#acknowledged.set(key, line)
    this.#acknowledging ??= setTimeout(() => this.#write(), ACKNOWLEDGE_MS)
  }

  /** `receive` runs before the next message is read, so that nothing that follows the reply is missed. */
  request<T>(message: Unnumbered<Request>, receive: (reply: Reply) => T): Promise<T> {
    if (this.#closed) return Promise.reject(this.#closed)
    this.#lastId += 1
    const id = this.#lastId
    const text = JSON.stringify({ ...message, id })
    // The host would break off the connection, and with it all the other agents.
    if (Buffer.byteLength(text) > MAX_LINE_BYTES) {
      return Promise.reject(new HostError('line-too-long', `a message has more than ${MAX_LINE_BYTES} bytes`))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { receive: (reply) => resolve(receive(reply)), reject })
      this.#write(text)
    })
  }

  /** Ends the connection; what waits is rejected with `error`. */
  close(error: HostError): void {
    this.#socket.end()
    this.#close(error)
  }

  #write(text?: string): void {
    clearTimeout(this.#acknowledging)
    this.#acknowledging = undefined
    const texts = [...this.#acknowledged].map(([key, line]) => JSON.stringify({ t: 'ack', key, line }))
    this.#acknowledged.clear()
    if (text !== undefined) texts.push(text)
    this.#socket.write(texts.map((line) => `${line}\n`).join(''))
  }

  #close(error: HostError): void {
    if (this.#closed) return
    this.#closed = error
    clearTimeout(this.#acknowledging)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#events.onClose(error)
  }

  #settle(message: HostMessage): boolean {
    if (!('re' in message) || message.re === undefined) return false
    const waiting = this.#waiting.get(message.re)
    this.#waiting.delete(message.re)
    if (message.t === 'error') waiting?.reject(hostErrorFrom(message))
    else waiting?.receive(message)
    return true
  }
}

/** Undefined for what a newer host says and we do not know. */
function read(line: Buffer): HostMessage | undefined {
  try {
    return HostMessage.safeParse(JSON.parse(line.toString())).data
  } catch {
    return undefined
  }
}
