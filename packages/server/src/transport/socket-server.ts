import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { sizeOf } from '@holdpoint/core/size-of'
import type { Device } from '@holdpoint/schema/device'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import type { Devices } from '../auth/devices.ts'
import type { Surface } from '../auth/guard.ts'
import { may } from '../auth/policy.ts'
import { drained, HIGH_WATER } from './drained.ts'
import { SMALL_REPLY, type Unread } from './unread.ts'

const BEAT_MS = 30_000
/** Without taking anything of what it was sent (F58). */
const TAKING_MS = 30_000
/** Beats without a word from a client that is being sent something: its reply to a ping waits behind that. */
const BUSY_BEATS = 4
/** Characters of replies that a client may leave unread: it asks for them itself, and faster than it reads. */
const REPLY_LIMIT = 16 * 1024 * 1024
/** Frames that make no sense, in a row: a mistake deserves a reply, a flood does not. */
const MAX_BAD_FRAMES = 20
const CLOSE_SLOW = 4008
/** Bytes of a frame of somebody who may not answer: such have little to say. */
const LISTENER_FRAME_LIMIT = 64 * 1024

/** A connected client that has been through the guard. */
export interface Peer {
  readonly device: Device
  readonly surface: Surface
  /** Parameters of the path that it connected to. */
  readonly params: Readonly<Record<string, string>>
  /** Sends one message. Replies that nobody reads are bounded: past the bound the client is cut off (I10). */
  send(message: unknown): void
  /**
   * Sends messages of a stream: whoever does so asks `writable` first. `soon`: small ones leave at the end of this turn of
   * the event loop, with what else is sent until then.
   */
  sendTexts(texts: readonly string[], when?: 'soon'): void
  readonly writable: boolean
  /** Resolves when the client has read enough to be written to, or is gone. */
  ready(): Promise<void>
  /** The client reads too slowly: it is let go, and comes again. */
  drop(): void
  close(code: number, reason: string): void
}

export interface PeerHandlers {
  /** One text message, `undefined` for a binary one. Says whether it made sense. */
  onMessage(text: string | undefined): boolean
  /** The client has read on. */
  onDrain(): void
  onClose(): void
}

/** WebSockets with the manners that all of ours have: beats, limits, back-pressure, an orderly end. */
export function createSocketServer(
  deps: { readonly devices: Devices; readonly unread: Unread },
  options: { readonly frameLimit: number; readonly serve: (peer: Peer) => PeerHandlers },
) {
  const limits: ServerOptions & { maxFragments: number } = {
    noServer: true,
    maxFragments: 64,
    perMessageDeflate: false,
    clientTracking: false,
  }
  const answering = new WebSocketServer({ ...limits, maxPayload: options.frameLimit })
  const listening = new WebSocketServer({ ...limits, maxPayload: Math.min(options.frameLimit, LISTENER_FRAME_LIMIT) })
  const open = new Set<WebSocket>()
  let isClosed = false

  function serve(socket: WebSocket, wire: Socket, caller: Caller) {
    open.add(socket)
    let badFrames = 0
    let silentBeats = 0
    let unreadReplies = 0
    const unread = deps.unread.connection(caller.device.id)

    /** It reads too little, or others of its credential do: it is let go at once, and comes again. */
    function noteUnread() {
      if (wire.writableLength > SMALL_REPLY && !unread.note(wire.writableLength)) socket.terminate()
    }

    function uncork() {
      wire.uncork()
      noteUnread()
    }

    const handlers = options.serve({
      ...caller,
      send(message) {
        if (socket.readyState !== socket.OPEN) return
        // Before it is written down, which takes its time where it is large.
        if (sizeOf(message) > SMALL_REPLY && !deps.unread.hasRoom(caller.device.id)) return socket.terminate()
        const text = JSON.stringify(message)
        unreadReplies = (wire.writableLength === 0 ? 0 : unreadReplies) + text.length
        if (unreadReplies > REPLY_LIMIT) return socket.terminate()
        socket.send(text)
        noteUnread()
      },
      sendTexts(texts, when) {
        // Many messages, one system call.
        wire.cork()
        for (const text of texts) socket.send(text)
        if (when === 'soon' && wire.writableLength <= SMALL_REPLY) return process.nextTick(uncork)
        uncork()
      },
      get writable() {
        return wire.writableLength < HIGH_WATER
      },
      ready: () => drained(wire, HIGH_WATER),
      drop() {
        socket.close(CLOSE_SLOW, 'too slow: connect again and resume from your cursor')
        // A client that does not read will not read the goodbye either.
        setTimeout(() => socket.terminate(), 1000).unref()
      },
      close: (code, reason) => socket.close(code, reason),
    })
    const onDrain = () => {
      unreadReplies = 0
      unread.note(0)
      socket.resume()
      handlers.onDrain()
    }
    const beat = setInterval(() => {
      if (!deps.devices.current(caller.device.id)) return socket.close(1008, 'the credential is no longer valid')
      if (silentBeats >= (wire.writableLength > 0 ? BUSY_BEATS : 1)) return socket.terminate()
      silentBeats++
      socket.ping()
    }, BEAT_MS).unref()

    wire.on('drain', onDrain)
    // Node leaves out of this whoever takes anything.
    wire.setTimeout(TAKING_MS, () => {
      if (wire.writableLength > 0) socket.terminate()
    })
    socket.on('pong', () => {
      silentBeats = 0
      deps.devices.use(caller.device.id)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(beat)
      wire.off('drain', onDrain)
      unread.note(0)
      open.delete(socket)
      handlers.onClose()
    })
    socket.on('message', (data, isBinary) => {
      if (isClosed) return
      silentBeats = 0
      // Replies that nobody reads pile up: nothing more is taken until they are read (I10).
      if (wire.writableLength >= HIGH_WATER) socket.pause()
      const made = handlers.onMessage(isBinary ? undefined : data.toString())
      badFrames = made ? 0 : badFrames + 1
      if (badFrames > MAX_BAD_FRAMES) socket.close(1008, 'too many bad frames')
    })
  }

  return {
    /** The caller has been through the guard. */
    accept(request: IncomingMessage, wire: Socket, head: Buffer, caller: Caller): Promise<void> {
      if (isClosed) return Promise.resolve(void wire.destroy())
      const server = may(caller.device, 'answer-ask') ? answering : listening
      return new Promise((resolve) => {
        server.handleUpgrade(request, wire, head, (socket) => {
          serve(socket, wire, caller)
          resolve()
        })
      })
    },
    close() {
      isClosed = true
      for (const socket of open) socket.close(1001, 'the gateway is shutting down')
    },
  }
}
export type SocketServer = ReturnType<typeof createSocketServer>

type Caller = Pick<Peer, 'device' | 'surface' | 'params'>
