import type { ServerResponse } from 'node:http'
import { drained } from '../stream/drained.ts'
import { SMALL_REPLY } from './unread.ts'

/**
 * Sends the body of a reply, a large one piece by piece: whoever does not take a piece within so many milliseconds is
 * let go, even if it takes a few bytes now and then (F58). `onLeft` is told how many bytes are left before each piece.
 */
export async function sendPieces(
  response: ServerResponse,
  body: Buffer,
  { taking, onLeft }: { readonly taking: number; readonly onLeft: (bytes: number) => void },
): Promise<void> {
  const { socket } = response
  if (!socket) return void response.end(body)
  response.setHeader('content-length', body.length)
  for (let at = 0; at < body.length && !socket.destroyed; at += SMALL_REPLY) {
    onLeft(body.length - at)
    response.write(body.subarray(at, at + SMALL_REPLY))
    const late = setTimeout(() => response.destroy(), taking)
    await drained(socket, SMALL_REPLY)
    clearTimeout(late)
  }
  response.end()
}
