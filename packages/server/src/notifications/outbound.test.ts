import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOutbound } from './outbound.ts'
import * as publicAddress from './public-address.ts'

let servers: Server[] = []

afterEach(() => {
  vi.restoreAllMocks()
  for (const server of servers) server.close()
  servers = []
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function receiver(handle: RequestListener): Promise<string> {
  const server = createServer(handle)
  server.on('connection', (socket) => socket.unref())
  return `127.0.0.1:${await listen(server)}`
}

const never = new AbortController().signal
const message = { headers: {}, body: '{}', signal: never }

describe('what is not listed', () => {
  let port = 0
  let connections = 0

  beforeEach(async () => {
    connections = 0
    const server = createTcpServer((socket) => {
      connections += 1
      socket.destroy()
    })
    port = await listen(server)
  })

  const FORMS = [
    ...['http://example.com/', 'https://127.0.0.1/', 'https://127.1/', 'https://127.0.1/', 'https://2130706433/'],
    ...['https://0x7f000001/', 'https://0x7f.0.0.1/', 'https://0177.0.0.1/', 'https://017700000001/', 'https://0/'],
    ...['https://0.0.0.0/', 'https://127.0.0.1./', 'https://127.127.127.127/', 'https://localhost/'],
    ...['https://LOCALHOST/', 'https://localhost./', 'https://[::1]/', 'https://[::]/', 'https://[0:0:0:0:0:0:0:1]/'],
    ...['https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::127.0.0.1]/'],
    ...['https://[64:ff9b::127.0.0.1]/', 'https://[2002:7f00:1::]/', 'https://[fe80::1]/', 'https://[fc00::1]/'],
    ...['https://[ff02::1]/', 'https://10.0.0.1/', 'https://172.16.0.1/', 'https://192.168.0.1/'],
    ...['https://169.254.169.254/latest/meta-data', 'https://100.64.0.1/', 'https://198.18.0.1/', 'https://224.0.0.1/'],
    ...['https://255.255.255.255/', 'https://１２７.0.0.1/', 'https://①②⑦.0.0.1/', 'https://127。0。0。1/'],
    ...['https://%31%32%37.0.0.1/', 'https://user@example.com/', 'https://user:password@example.com/'],
    ...[
      'https://example.com@127.0.0.1/',
      'https://127.0.0.1#@example.com/',
      'https:\\\\127.0.0.1\\',
      'https:127.0.0.1',
    ],
    ...['ftp://127.0.0.1/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/plain,x', 'unix:///run/x.sock', ''],
    ...['//127.0.0.1/', '127.0.0.1', 'https://', 'https://127.0.0.1:99999/', 'https://[fe80::1%25eth0]/'],
    ...[
      'https://private.example/',
      'https://mapped.example/',
      'https://both.example/',
      'https://xn--mgba3gch31f.example/',
    ],
  ]

  const NAMES: Record<string, readonly string[]> = {
    localhost: ['127.0.0.1', '::1'],
    'localhost.': ['127.0.0.1'],
    'private.example': ['10.1.2.3'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'both.example': ['8.8.8.8', '127.0.0.1'],
    'xn--mgba3gch31f.example': ['127.0.0.1'],
    'example.com': ['8.8.8.8'],
  }

  const resolve = async (host: string) =>
    (NAMES[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

  it.each(FORMS)('T51 gets nothing by the address %j', async (form) => {
    const url = form.replace(
      /^(https?:(?:\/\/|\\\\)(?:[^/\\#@]*@)?(?:\[[^\]]*\]|[^/\\#:[\]]+))(?=[/\\#])/,
      `$1:${port}`,
    )
    // The list is for a name, and for nothing that leads to the same place.
    const { post } = createOutbound({ allowed: [`listed.example:${port}`], resolve })
    expect(await post({ ...message, url })).toMatchObject({ ok: false, how: 'refused' })
    expect(connections).toBe(0)
  })

  it('T51 gets nothing by a port that is not listed, or by another name of a listed place', async () => {
    const { post } = createOutbound({ allowed: [`127.0.0.1:${port + 1}`, `listed.example:${port}`], resolve })
    expect(await post({ ...message, url: `http://127.0.0.1:${port}/` })).toMatchObject({ how: 'refused' })
    expect(connections).toBe(0)
  })

  it('T51 is connected to at the address that was checked, whatever its name leads to later', async () => {
    vi.spyOn(publicAddress, 'isPublicAddress').mockImplementation((address) => address === '::1')
    const answers = ['::1', '127.0.0.1', '127.0.0.1']
    const asked = vi.fn(async () =>
      [answers.shift() ?? ''].map((address) => ({ address, family: address === '::1' ? 6 : 4 })),
    )
    const { post } = createOutbound({ allowed: [], resolve: asked })
    expect(await post({ ...message, url: `https://rebinding.example:${port}/` })).toMatchObject({ how: 'failed' })
    expect(asked).toHaveBeenCalledTimes(1)
    expect(connections).toBe(0)
  })
})

describe('what is listed', () => {
  it('gets the request, without TLS if its address says so, and by a name that leads to this machine', async () => {
    const got: unknown[] = []
    const place = await receiver((request, response) => {
      const { method, url, headers } = request
      request.on('data', (data: Buffer) => got.push({ method, url, key: headers['x-key'], body: data.toString() }))
      request.on('end', () => response.writeHead(202).end('taken'))
    })
    const port = place.split(':')[1]
    const { post } = createOutbound({
      allowed: [`receiver.example:${port}`],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const url = `http://receiver.example:${port}/a?b=c`
    const reply = await post({ url, headers: { 'x-key': '1' }, body: 'hé', signal: never })
    expect(reply).toEqual({ ok: true, status: 202, body: 'taken' })
    expect(got).toEqual([{ method: 'POST', url: '/a?b=c', key: '1', body: 'hé' }])
  })

  it('T51 leads nowhere else by a redirect', async () => {
    let calls = 0
    const place = await receiver((_request, response) => {
      calls += 1
      response.writeHead(307, { location: `http://${place}/elsewhere` }).end()
    })
    const { post } = createOutbound({ allowed: [place] })
    expect(await post({ ...message, url: `http://${place}/` })).toMatchObject({ ok: true, status: 307 })
    expect(calls).toBe(1)
  })

  it('is read up to a limit, and counts by its status', async () => {
    const place = await receiver((_request, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const { post } = createOutbound({ allowed: [place] })
    const reply = await post({ ...message, url: `http://${place}/` })
    expect(reply).toMatchObject({ ok: true, status: 200 })
    expect(reply.ok && reply.body.length).toBe(65_536)
  })

  it.each([
    ['120', 120_000],
    ['999999999999', 3_600_000],
    [new Date(0).toUTCString(), 0],
    ['soon', undefined],
  ])('says when to try again: %s', async (header, retryAfterMs) => {
    const place = await receiver((_request, response) => response.writeHead(429, { 'retry-after': header }).end())
    const { post } = createOutbound({ allowed: [place] })
    const reply = await post({ ...message, url: `http://${place}/` })
    expect(reply).toEqual({ ok: true, status: 429, body: '', ...(retryAfterMs !== undefined && { retryAfterMs }) })
  })

  it('fails when nobody listens, when no reply comes, and when it is called off', async () => {
    const silent = await receiver(() => {})
    const half = await receiver((_request, response) => response.writeHead(200).write('half'))
    const gone = createTcpServer()
    const dead = `127.0.0.1:${await listen(gone)}`
    await new Promise((resolve) => gone.close(resolve))
    const { post } = createOutbound({ allowed: [silent, half, dead], timeLimitMs: 30 })
    expect(await post({ ...message, url: `http://${dead}/` })).toEqual({
      ok: false,
      how: 'failed',
      reason: 'there was no reply (ECONNREFUSED)',
    })
    const late = { ok: false, how: 'failed', reason: 'there was no reply in time' }
    expect(await post({ ...message, url: `http://${silent}/` })).toEqual(late)
    expect(await post({ ...message, url: `http://${half}/` })).toEqual(late)
    const stop = new AbortController()
    const calledOff = post({ ...message, url: `http://${silent}/`, signal: stop.signal, timeLimitMs: 60_000 })
    stop.abort()
    expect(await calledOff).toEqual({ ok: false, how: 'failed', reason: 'it was called off' })
  })

  it('fails when its name cannot be looked up, or not in time, and when a header cannot be sent', async () => {
    const failing = createOutbound({
      allowed: ['receiver.example:443'],
      resolve: () => Promise.reject(Object.assign(new Error('secret-name'), { code: 'ENOTFOUND' })),
    })
    const url = 'https://receiver.example/'
    expect(await failing.post({ ...message, url })).toMatchObject({ reason: 'there was no reply (ENOTFOUND)' })
    const hanging = createOutbound({ allowed: [], resolve: () => new Promise(() => {}), timeLimitMs: 10 })
    expect(await hanging.post({ ...message, url })).toMatchObject({ reason: 'there was no reply in time' })
    const place = await receiver((_request, response) => response.end())
    const { post } = createOutbound({ allowed: [place] })
    const broken = await post({ ...message, url: `http://${place}/`, headers: { 'x-key': 'a\nb' } })
    expect(broken).toMatchObject({ ok: false, how: 'failed' })
  })
})
