import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { createPagePass } from '@holdpoint/client/page-pass'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { apiClient } from '@holdpoint/testing/api-client'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const NOBODY = 65_534

/**
 * A program of another user, without a credential: takes the port, takes one connection, gives the port back, and passes
 * whatever is asked over the connection on to whoever has the port then. Prints what the answers say.
 */
const STRANGER = `
  import { createServer } from 'node:net'
  import http from 'node:http'
  const port = Number(process.argv[1])
  const pass = (method, path, headers, body) => new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, method, path, headers: { ...headers, connection: 'close' }, agent: false }
    http.request(to, (reply) => {
      const chunks = []
      reply.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve({ status: reply.statusCode, body: Buffer.concat(chunks) }))
    }).on('error', reject).end(body)
  })
  const server = createServer((socket) => {
    server.close(() => {})
    console.log('gives the port back')
    let bytes = Buffer.alloc(0)
    socket.on('error', () => {}).on('data', async (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      const end = bytes.indexOf('\\r\\n\\r\\n')
      if (end < 0) return
      const [first, ...lines] = bytes.subarray(0, end).toString().split('\\r\\n')
      const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
      const length = Number(headers['content-length'] ?? 0)
      if (bytes.length < end + 4 + length) return
      const body = bytes.subarray(end + 4, end + 4 + length)
      bytes = bytes.subarray(end + 4 + length)
      const [method, path] = first.split(' ')
      let reply
      while (!reply) reply = await pass(method, path, headers, body).catch(() => new Promise((resolve) => setTimeout(resolve, 20)))
      console.log(path, reply.status, String(reply.body))
      socket.write('HTTP/1.1 ' + reply.status + ' X\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + reply.body.length + '\\r\\n\\r\\n')
      socket.write(reply.body)
    })
  })
  server.on('listening', () => console.log('has the port'))
  server.listen(port, '127.0.0.1')
`

function startStranger(port: number) {
  const args = ['--input-type=module', '-e', STRANGER, String(port)]
  const child = spawn(process.execPath, args, {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  return {
    said: () => said,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** As a browser does it: over the one connection that is there, for as long as it is. */
function keepingFetch(agent: Agent): typeof fetch {
  return async (address, init = {}) => {
    const headers = { ...(init.headers as Record<string, string>), origin: new URL(String(address)).origin }
    const request = httpRequest(String(address), { method: init.method ?? 'GET', headers, agent })
    request.end(String(init.body))
    const [reply] = await once(request, 'response')
    return new Response(await text(reply), { status: reply.statusCode })
  }
}

it('T64 gives nothing away while another user’s program, which had the port for a moment, passes on what a page asks', async (context) => {
  if (process.platform !== 'linux') return context.skip('whose connections they are can be seen on Linux alone')
  if (process.getuid?.() !== 0) return context.skip('only root can start a program of another user')
  const store = createMemoryStore()
  const first = await startTestGateway({ store })
  const { url } = first.gateway
  const port = Number(new URL(url).port)
  const logIn = (code: string) =>
    apiClient(url).call<{ device: { id: string }; secret: string; proofKey: string; error?: { code: string } }>(
      'POST',
      '/api/login',
      { code },
    )
  const codeIn = (link: string) => link.split('#login=')[1] ?? ''
  const { device, ...keys } = (await logIn(codeIn(first.gateway.loginLink()))).body
  await first.gateway.close()

  const stranger = startStranger(port)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await until(() => stranger.said().includes('has the port'), 'the stranger to have the port')
    const page = createPagePass({ baseUrl: url, fetch: keepingFetch(agent) })
    const asked = page.of({ device: device.id, ...keys })
    asked.catch(() => {})
    await until(() => stranger.said().includes('gives the port back'), 'the stranger to give the port back')
    await using test = await startTestGateway({ store, port, dataDir: first.dataDir })

    await expect(asked).rejects.toMatchObject({ code: 'not_the_gateway', message: /A program of another user/ })
    expect(stranger.said()).toMatch(/\/api\/proofs 403 .*other_user/)
    // The browser asks again, over the same connection.
    await expect(page.of({ device: device.id, ...keys })).rejects.toMatchObject({ code: 'not_the_gateway' })
    expect(stranger.said()).not.toMatch(/ 20[01] /)
    // Our own programs are served all the while.
    expect(await logIn(codeIn(test.gateway.loginLink()))).toMatchObject({ status: 200 })

    // When he has gone, the page finds the gateway again.
    await stranger.end()
    const again = () => page.of({ device: device.id, ...keys }).catch(() => undefined)
    expect(await until(again, 'the page to have a pass')).toMatch(/^dev_/)
  } finally {
    agent.destroy()
    await stranger.end()
  }
})

/** Calls with whatever credential it is given, and prints how that went. */
const CALLER = `
  import http from 'node:http'
  import net from 'node:net'
  const [url, token] = process.argv.slice(1)
  const { hostname: host, port } = new URL(url)
  const headers = { authorization: 'Bearer ' + token }
  http.get(url + '/api/me', { headers, agent: false }, (reply) => {
    console.log('call', reply.statusCode)
    const upgrade = 'GET /api/stream HTTP/1.1\\r\\nHost: ' + host + ':' + port + '\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\nAuthorization: Bearer ' + token + '\\r\\n\\r\\n'
    const socket = net.connect(port, host, () => socket.write(upgrade))
    socket.on('data', (data) => { console.log('socket', String(data).slice(9, 12)); process.exit(0) })
  })
`

it('T64 serves nothing to another user’s program over plain HTTP, whatever credential it has', async (context) => {
  if (process.platform !== 'linux') return context.skip('whose connections they are can be seen on Linux alone')
  if (process.getuid?.() !== 0) return context.skip('only root can start a program of another user')
  await using test = await startTestGateway()
  const { secret: token } = await test.credential({ role: 'owner' })
  const run = async (user: { uid?: number; gid?: number }) => {
    const args = ['--input-type=module', '-e', CALLER, test.gateway.url, token]
    const child = spawn(process.execPath, args, { ...user, cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
    return text(child.stdout)
  }
  expect(await run({})).toBe('call 200\nsocket 101\n')
  expect(await run({ uid: NOBODY, gid: NOBODY })).toBe('call 403\nsocket 403\n')
})
