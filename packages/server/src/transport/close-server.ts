import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** For replies that are on their way, and for WebSockets that say goodbye. */
const GOODBYE_MS = 500

/**
 * Makes what closes this server: whoever is connected goes first, the port last. Another user of the machine may have the
 * port next; over a connection that was still served he could pass on to us what pages and programs then send to him (T64).
 */
export function closerOf(server: Server): () => Promise<void> {
  /** All there are: those in a TLS handshake, with half a request, or upgraded as well. */
  const connections = new Set<Socket>()
  const underWay = new Map<
    ServerResponse | Socket,
    { readonly request: IncomingMessage; readonly over: Promise<void> }
  >()

  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  server.on('request', (request, response) => note(request, response, request.socket))
  server.on('upgrade', (request, socket: Socket) => note(request, socket, socket))

  function note(request: IncomingMessage, carrier: ServerResponse | Socket, socket: Socket) {
    const over = new Promise<void>((resolve) => {
      const end = () => {
        carrier.off('close', end)
        socket.off('close', end)
        underWay.delete(carrier)
        resolve()
      }
      carrier.on('close', end)
      // A reply that waits behind another on one connection is not told when that connection ends.
      socket.on('close', end)
    })
    underWay.set(carrier, { request, over })
  }

  return async () => {
    // Nobody waits for what is only half sent: it would be refused.
    const whole = [...underWay.values()].filter(({ request }) => request.complete)
    await within(GOODBYE_MS, Promise.all(whole.map(({ over }) => over)))
    for (const socket of connections) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
