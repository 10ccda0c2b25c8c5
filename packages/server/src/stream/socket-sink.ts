import type { Socket } from 'node:net'
import type { Device } from '@holdpoint/schema/device'
import type { SessionId } from '@holdpoint/schema/id'
import type { WebSocket } from 'ws'
import { sees } from '../auth/devices.ts'
import { socketText } from './event-text.ts'
import type { Sink } from './subscription.ts'

/** Bytes a client may leave unread before nothing more is written to it. */
export const HIGH_WATER = 1024 * 1024
const CLOSE_SLOW = 4008

export function socketSink(options: {
  socket: WebSocket
  wire: Socket
  device: Device
  sessionId?: SessionId
  onLeave: () => void
}): Sink {
  const { socket, wire } = options
  return {
    wants: (sessionId) => (!options.sessionId || options.sessionId === sessionId) && sees(options.device, sessionId),
    get writable() {
      return wire.writableLength < HIGH_WATER
    },
    write(frames) {
      // Many messages, one system call.
      wire.cork()
      for (const frame of frames) socket.send(socketText(frame))
      wire.uncork()
    },
    writeSnapshot(snapshot) {
      socket.send(JSON.stringify({ type: 'snapshot', ...snapshot }))
    },
    ready: () => drained(wire, HIGH_WATER),
    drop() {
      options.onLeave()
      socket.close(CLOSE_SLOW, 'too slow: connect again and resume from your cursor')
      // A client that does not read will not read the goodbye either.
      setTimeout(() => socket.terminate(), 1000).unref()
    },
  }
}

/** Resolves when less than `highWater` bytes are unread, or the client is gone. */
export function drained(wire: Socket, highWater: number): Promise<void> {
  if (wire.writableLength < highWater || wire.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      wire.off('drain', done)
      wire.off('close', done)
      resolve()
    }
    wire.on('drain', done)
    wire.on('close', done)
  })
}
