import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Pieces, piecesOf, sendPieces } from './send-pieces.ts'
import { SMALL_REPLY } from './unread.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const TAKING = 30_000
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A client that takes one piece whenever it is told to. */
function startSending(pieces: number, read: (body: Buffer) => Pieces = piecesOf) {
  const waiting: (() => void)[] = []
  const taken: Buffer[] = []
  const socket = new Socket()
  socket._write = (chunk: Buffer, _, done) => {
    taken.push(chunk)
    waiting.push(done)
  }
  socket._writev = (chunks, done) => {
    taken.push(...chunks.map(({ chunk }) => Buffer.from(chunk)))
    waiting.push(done)
  }
  const response = new ServerResponse(new IncomingMessage(socket))
  response.assignSocket(socket)
  const body = Buffer.alloc(pieces * SMALL_REPLY, 'x')
  const left: number[] = []
  const sent = sendPieces(response, read(body), { taking: TAKING, onLeft: (bytes) => left.push(bytes / SMALL_REPLY) })
  return {
    socket,
    left,
    sent,
    body,
    text: () => Buffer.concat(taken).toString('latin1'),
    async take() {
      await turn()
      waiting.shift()?.()
      await turn()
    },
  }
}

it('F58 hands over the next piece of a large reply when the one before is taken, and says how much is left', async () => {
  const client = startSending(3)
  await turn()
  expect(client.left).toEqual([3])
  await client.take()
  expect(client.left).toEqual([3, 2])
  await client.take()
  await client.take()
  await client.sent
  expect(client.left).toEqual([3, 2, 1])
  const [head, body] = client.text().split('\r\n\r\n')
  expect(head).toContain(`content-length: ${client.body.length}`)
  expect(body).toBe(client.body.toString())
})

it('F58 lets go of whoever does not take each piece of a large reply in time', async () => {
  const client = startSending(4)
  for (let n = 0; n < 2; n++) {
    await turn()
    vi.advanceTimersByTime(TAKING - 1)
    expect(client.socket.destroyed).toBe(false)
    await client.take()
  }
  vi.advanceTimersByTime(TAKING - 1)
  expect(client.socket.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(client.socket.destroyed).toBe(true)
  await client.sent
  expect(client.left).toEqual([4, 3, 2])
  expect(vi.getTimerCount()).toBe(0)
})

it('F58 reads the next piece of a file when the one before is taken, and lets go of the file with its reader', async () => {
  const read: number[] = []
  let isOpen = true
  const client = startSending(4, (body) => ({
    size: body.length,
    async *read() {
      try {
        for await (const piece of piecesOf(body).read()) {
          read.push(read.length)
          yield piece
        }
      } finally {
        isOpen = false
      }
    },
  }))
  await turn()
  expect(read).toEqual([0])
  await client.take()
  expect(read).toEqual([0, 1])
  client.socket.destroy()
  await client.sent
  expect({ read, isOpen }).toEqual({ read: [0, 1, 2], isOpen: false })
})

it('ends the connection where a file is shorter than was said: nobody waits for the rest', async () => {
  const client = startSending(1, (body) => ({ ...piecesOf(body), size: body.length + 1 }))
  await client.take()
  await client.sent
  expect(client.socket.destroyed).toBe(true)
})
