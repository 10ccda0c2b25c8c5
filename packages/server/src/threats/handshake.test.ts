import { networkInterfaces } from 'node:os'
import { report } from '@holdpoint/testing/long'
import { type RawRequest, sendRaw, UPGRADE } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }

/** The three ways in. Each is answered by 200 or 101 when it is open. */
const TRANSPORTS = {
  http: { path: '/api/sessions', open: 200, headers: {} },
  sse: { path: '/api/events', open: 200, headers: {} },
  webSocket: { path: '/api/stream', open: 101, headers: UPGRADE },
} as const

type Transport = keyof typeof TRANSPORTS
const transports = Object.keys(TRANSPORTS) as Transport[]

async function knock(test: TestGateway, transport: Transport, request: RawRequest): Promise<number | undefined> {
  const { path, headers } = TRANSPORTS[transport]
  const reply = await sendRaw(test.gateway.url, { path, ...request, headers: { ...headers, ...request.headers } })
  return reply?.status === TRANSPORTS[transport].open ? 200 : reply?.status
}

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some((entry) => entry.address === '::1'))

describe.each(hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])('a WebSocket handshake on %s', (address) => {
  it('T1 T8 passes with a credential, an own Origin and an own Host together, and in no other way', async () => {
    await using test = await startTestGateway({ host: address })
    const { port } = new URL(test.gateway.url)
    const browser = await test.credential({ role: 'owner' }, 'browser')
    const credentials = {
      none: {},
      cookie: { cookie: `holdpoint_${port}=${browser.secret}` },
      page: browser.headers,
      bearer: BEARER,
    }
    const origins = {
      absent: undefined,
      own: test.gateway.url,
      named: `http://localhost:${port}`,
      foreign: 'https://evil.example',
      sandboxed: 'null',
      otherPort: `http://localhost:${Number(port) + 1}`,
    }
    const hosts = {
      own: new URL(test.gateway.url).host,
      named: `localhost:${port}`,
      evil: `evil.example:${port}`,
      withoutPort: '127.0.0.1',
    }
    const open: string[] = []
    let count = 0
    for (const [credential, headers] of Object.entries(credentials)) {
      for (const [origin, value] of Object.entries(origins)) {
        for (const [host, name] of Object.entries(hosts)) {
          count++
          const status = await knock(test, 'webSocket', {
            hosts: [name],
            headers: { ...headers, ...(value && { origin: value }) },
          })
          if (status === 200) open.push(`${credential} ${origin} ${host}`)
          else expect([401, 403, 421]).toContain(status)
        }
      }
    }
    // Another program may answer to the name `localhost`: no page is let in there (T64).
    // A browser always says where it comes from: what comes without an Origin was not sent by our page.
    expect(open).toEqual([
      'page own own',
      'bearer absent own',
      'bearer absent named',
      'bearer own own',
      'bearer own named',
      'bearer named own',
      'bearer named named',
    ])
    report(`T1: ${count} handshakes on ${address}, ${open.length} open`)
  })
})

it('T2 T3 serves only the hosts on its list, on HTTP, SSE and WebSocket alike', async () => {
  await using test = await startTestGateway()
  const { port } = new URL(test.gateway.url)
  const allowed = ['127.0.0.1:P', 'localhost:P', 'LocalHost:P', '[::1]:P']
  const refused = [
    'evil.example',
    'evil.example:P',
    '127.0.0.1',
    'localhost',
    '127.0.0.1:1',
    '127.0.0.1:0P',
    '127.0.0.1.evil.example:P',
    'localhost.:P',
    'localhost.evil.example:P',
    'user@127.0.0.1:P',
    '127.0.0.1:P@evil.example',
    'evil.example#@127.0.0.1:P',
    'http://127.0.0.1:P',
    '127.0.0.1:P/',
    '127.0.0.1:P, evil.example',
    '0.0.0.0:P',
    '[::]:P',
    '[::ffff:127.0.0.1]:P',
    '::1:P',
    '2130706433:P',
    '0x7f000001:P',
    '0177.0.0.1:P',
    '127.1:P',
    '127.0.0.2:P',
    'rebind.127.0.0.1.nip.io:P',
    '',
  ].map((form) => [form])
  const forms = [...refused, [], ['127.0.0.1:P', 'evil.example'], ['127.0.0.1:P', '127.0.0.1:P']]
  for (const transport of transports) {
    const reach = (hosts: readonly string[]) =>
      knock(test, transport, { hosts: hosts.map((host) => host.replace('P', port)), headers: BEARER })
    for (const host of allowed) expect(await reach([host]), `${transport} ${host}`).toBe(200)
    for (const hosts of forms) expect(await reach(hosts), `${transport} ${JSON.stringify(hosts)}`).toBe(421)
  }
  report(`T2/T3: ${(allowed.length + forms.length) * transports.length} requests with ${forms.length} foreign hosts`)
})

it('T6 refuses the same request with the same status on every transport', async () => {
  await using test = await startTestGateway()
  const terminal = await test.terminal()
  const raiser = await test.credential({ role: 'raiser' })
  const revoked = await test.credential({ role: 'owner' })
  await test.gateway.devices.revoke(revoked.device.id)
  const cases: [string, number, RawRequest][] = [
    ['no credential', 401, {}],
    ['a wrong token', 401, { headers: { authorization: 'Bearer wrong' } }],
    ['the token in the address', 401, {}],
    ['the token as basic credential', 401, { headers: { authorization: `Basic ${TEST_TOKEN}` } }],
    ['a revoked token', 401, { headers: revoked.headers }],
    ['a credential that may not read', 403, { headers: raiser.headers }],
    ['a foreign host', 421, { hosts: ['evil.example'], headers: BEARER }],
    ['a foreign origin', 403, { headers: { ...BEARER, origin: 'https://evil.example' } }],
    ['a sandboxed origin', 403, { headers: { ...BEARER, origin: 'null' } }],
    ['a cross-site fetch', 403, { headers: { ...BEARER, 'sec-fetch-site': 'cross-site' } }],
    ['a same-site fetch', 403, { headers: { ...BEARER, 'sec-fetch-site': 'same-site' } }],
  ]
  for (const [name, status, request] of cases) {
    for (const transport of transports) {
      const path = `${TRANSPORTS[transport].path}${name.includes('address') ? `?token=${TEST_TOKEN}` : ''}`
      expect(await knock(test, transport, { ...request, path }), `${name} on ${transport}`).toBe(status)
    }
    const path = `/api/terminals/${terminal.id}${name.includes('address') ? `?token=${TEST_TOKEN}` : ''}`
    expect(await knock(test, 'webSocket', { ...request, path }), `${name} on a terminal`).toBe(status)
  }
  expect(test.gateway.fanOut.size()).toBe(0)
})

it('upgrades only at its own address', async () => {
  await using test = await startTestGateway()
  for (const path of ['/', '/api/sessions', '/api/stream/', '/api/streams', '//api/stream']) {
    const reply = await sendRaw(test.gateway.url, { path, headers: { ...UPGRADE, ...BEARER } })
    expect(reply?.status, path).toBe(404)
  }
})
