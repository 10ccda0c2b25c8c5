import { connect, type Socket } from 'node:net'
import { LONG, report } from '@holdpoint/testing/long'
import { sendRaw, UPGRADE } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { createListener, type ListenerOptions } from '../transport/listener.ts'

const COUNT = LONG ? 1000 : 24
const HALVES: Record<string, string> = {
  nothing: '',
  'half a request line': 'GET /api/he',
  'half a head': 'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-',
  'half an upgrade': 'GET /api/stream HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n',
  'half a body': `POST /api/sessions HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer ${TEST_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"agent"`,
  'an upgrade that is refused, and a side that stays open':
    'GET /api/stream HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
}

/** Resolves when the gateway has closed the connection. This side never does. */
function closedByGateway(url: string, text: string): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  socket.write(text.replace('HOST', host))
  socket.on('error', () => {})
  return new Promise((resolve) => {
    // Only when it has said goodbye: more bytes before that would finish, or spoil, what was begun.
    socket.on('end', () => {
      // Gone for good as soon as these are refused.
      const poke = setInterval(() => socket.write(' '), 50)
      socket.on('close', () => clearInterval(poke))
    })
    socket.on('close', () => resolve())
    socket.resume()
  })
}

// Node itself looks at its connections every 30 s: a gateway that leaves it at that lets nobody go in this time.
const BEFORE_NODE_LOOKS = { timeout: 20_000 }

it(
  'F32 lets go of every client that does not finish what it began, and serves the others meanwhile',
  BEFORE_NODE_LOOKS,
  async () => {
    await using test = await startTestGateway({ patience: { head: 300, request: 600, goodbye: 300, taking: 300 } })
    const { url } = test.gateway
    const gone = Object.values(HALVES).flatMap((text) =>
      Array.from({ length: COUNT / 6 }, () => closedByGateway(url, text)),
    )
    const authorization = `Bearer ${TEST_TOKEN}`
    expect((await sendRaw(url, { path: '/api/sessions', headers: { authorization } }))?.status).toBe(200)
    expect((await sendRaw(url, { path: '/api/stream', headers: { authorization, ...UPGRADE } }))?.status).toBe(101)
    await Promise.all(gone)
    report(`F32: ${gone.length} connections that never finished, all let go`)
  },
)

it('F32 lets go of a client that does not finish its TLS handshake', async () => {
  // Without a certificate nobody gets through; how long somebody may try is the same.
  const tls = {} as { cert: Buffer; key: Buffer }
  await using test = await startTestGateway({ tls, patience: { head: 300, request: 600, goodbye: 300, taking: 300 } })
  await Promise.all(['', '\x16\x03\x01'].map((text) => closedByGateway(test.gateway.url, text)))
})

it('F32 by itself has ten seconds of patience for a head, thirty for a request, and looks every second', () => {
  const { server } = createListener({
    ...({} as Pick<ListenerOptions, 'devices' | 'connections' | 'unread' | 'log'>),
    routes: [],
    sockets: [],
    webApp: { find: () => undefined },
    guard: {
      closing: new AbortController().signal,
      allowedHosts: new Set(),
      allowedOrigins: new Set(),
      pageOrigins: new Map(),
      authenticate: () => undefined,
    },
  })
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1000 })
})
