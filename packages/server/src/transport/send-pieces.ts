import type { ServerResponse } from 'node:http'
import { drained } from './drained.ts'
import { SMALL_REPLY } from './unread.ts'

/** Bytes, of which only one piece has to be in memory. */
export interface Pieces {
  readonly size: number
  read(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

export function piecesOf(body: Buffer): Pieces {
  return {
    size: body.length,
    *read() {
      for (let at = 0; at < body.length; at += SMALL_REPLY) yield body.subarray(at, at + SMALL_REPLY)
    },
  }
}

/**
 * Sends a reply piece by piece: whoever does not take a piece within so many milliseconds is let go, even if it takes a
 * few bytes now and then (F58). `onLeft` is told how many bytes are left before each piece.
 */
export async function sendPieces(
  response: ServerResponse,
  { size, read }: Pieces,
  { taking, onLeft }: { readonly taking: number; readonly onLeft: (bytes: number) => void },
): Promise<void> {
  // None where the reply waits behind another one on its connection.
  const { socket } = response
  response.setHeader('content-length', size)
  let left = size
  for await (const piece of read()) {
    if (response.destroyed || socket?.destroyed) return
    onLeft(left)
    // What a file has more than its size would be taken for the next reply.
    const fitting = piece.subarray(0, left)
    response.write(fitting)
    left -= fitting.length
    if (!socket) continue
    const late = setTimeout(() => response.destroy(), taking)
    await drained(socket, SMALL_REPLY)
    clearTimeout(late)
    if (left === 0) break
  }
  // The client would wait for the rest of a file that has become shorter.
  if (left > 0) response.destroy()
  else response.end()
}
