import type { Socket } from 'node:net'

/** Bytes a client may leave unread before nothing more is written to it. */
export const HIGH_WATER = 1024 * 1024

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
