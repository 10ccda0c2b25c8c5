import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ApiClient, apiClient } from '../api-client.ts'
import { type BuiltGateway, startBuiltGateway } from '../built-gateway.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { until } from '../until.ts'

interface Service {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}

const folder = fileURLToPath(new URL('../../../../examples/cluster/', import.meta.url))
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> }
const caddy = read('Caddyfile')
const site = /^(https:\S+) \{$/m.exec(caddy)?.[1] ?? ''
const upstreams = (/reverse_proxy ((?:https:\S+ )+)\{/.exec(caddy)?.[1] ?? '').trim().split(' ')
const flagOf = (name: string, flag: string) =>
  services[name]?.command.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3)

const TOKEN = 'f'.repeat(64)
const QUESTION = {
  requestId: 'ask',
  kind: 'question',
  title: 'Deploy 1.4?',
  context: { cwd: '/srv/app' },
  questions: [{ question: 'Deploy 1.4?', options: [{ label: 'yes' }, { label: 'no' }] }],
}

describe('examples/cluster', () => {
  it('has a proxy that leads to the ports of its gateways, under the name that they answer to', () => {
    const gateways = Object.keys(services).filter((name) => services[name]?.command?.[0] === 'start')
    expect(gateways).toHaveLength(3)
    expect(upstreams).toEqual(gateways.map((name) => `https://${name}:${flagOf(name, 'port')}`))
    expect(gateways.map((name) => flagOf(name, 'public-url'))).toEqual(gateways.map(() => site))
    const { port } = new URL(site)
    expect(services.proxy?.ports).toEqual([`127.0.0.1:${port}:${port}`])
    expect(caddy).toContain(`Host ${new URL(site).host}`)
    // What is in the memory of one gateway, such as tickets, has to come back to it.
    expect(caddy).toMatch(/^\s+lb_policy client_ip_hash$/m)
    expect(new Set(gateways.map((name) => flagOf(name, 'machine-name'))).size).toBe(3)
  })

  describe('started as plain processes', () => {
    let secrets: string
    let server: PostgresServer
    const gateways = new Map<string, BuiltGateway>()
    const proxies: Proxy[] = []

    beforeAll(async () => {
      secrets = mkdtempSync(join(tmpdir(), 'hp-cluster-'))
      chmodSync(secrets, 0o755)
      execFileSync('sh', [join(folder, 'make-secrets.sh'), secrets], { stdio: 'pipe' })
      server = await startDatabase(secrets)
      const url = join(secrets, 'gateway/database-url')
      writeFileSync(url, readFileSync(url, 'utf8').replace('@database:5432/', `@localhost:${server.port}/`))
      const starting = upstreams.map(async (upstream) => {
        const name = new URL(upstream).hostname
        const { command = [], environment = {} } = services[name] ?? {}
        const here = (text: string) => text.replace('/secrets/', `${secrets}/`).replace('0.0.0.0', '127.0.0.1')
        const env = Object.entries(environment).map(([key, value]) => [key, here(value)])
        const args = command
          .slice(1)
          .map(here)
          .filter((word) => !word.startsWith('--port='))
        gateways.set(
          name,
          await startBuiltGateway({ token: TOKEN, args, env: { ...Object.fromEntries(env), HOLDPOINT_TOKEN: TOKEN } }),
        )
      })
      // Also of those that do start, where one does not, each is ended.
      const failed = (await Promise.allSettled(starting)).find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    })
    afterAll(async () => {
      await Promise.all([
        ...proxies.map((proxy) => proxy.close()),
        ...[...gateways.values()].map((each) => each[Symbol.asyncDispose]()),
      ])
      await server[Symbol.asyncDispose]()
      rmSync(secrets, { recursive: true, force: true })
    })

    /** As the Caddyfile says, to some of the gateways. */
    async function through(names: readonly string[], token = TOKEN): Promise<ApiClient> {
      const ca = readFileSync(join(secrets, 'authority/authority.crt'), 'utf8')
      const targets = names.map((name) => ({ name, port: Number(new URL(gateways.get(name)?.url ?? '').port) }))
      const proxy = await startStickyProxy(targets, { ca, host: new URL(site).host })
      proxies.push(proxy)
      return apiClient(proxy.url, token)
    }

    /** As a program on that machine, by the token that `holdpoint login --raiser` prints there. */
    async function raise(name: string, key: string): Promise<{ readonly ask: Ask; readonly program: ApiClient }> {
      const printed = await gateways.get(name)?.command(['login', '--raiser', key], { env: trust() })
      expect(printed).toMatchObject({ code: 0 })
      const program = await through([name], printed?.stdout.trim())
      const ask = await program.ok<Ask>('POST', '/api/asks', { ...QUESTION, program: { key, title: key } })
      return { ask, program }
    }
    const trust = () => ({ NODE_EXTRA_CA_CERTS: join(secrets, 'authority/authority.crt') })

    it('take an ask at one gateway and its answer at another one', async () => {
      const two = await through(['two'])
      const { ask, program } = await raise('one', 'deploy-1.4')
      const waiting = program.ok<Ask>('GET', `/api/asks/${ask.id}?wait=20`)
      await until(async () => (await two.openAsks()).some(({ id }) => id === ask.id), 'the ask at the other gateway')
      const reply = await two.answer(ask, { kind: 'answer', answers: [{ question: 0, selected: ['yes'] }] })
      expect(reply).toMatchObject({ status: 200, body: { outcome: { kind: 'answered' } } })
      expect((await waiting).outcome).toMatchObject({ kind: 'answered', answer: { answers: [{ selected: ['yes'] }] } })
      const link = await gateways.get('three')?.command(['login'], { env: trust() })
      expect(link).toMatchObject({ code: 0, stdout: expect.stringMatching(/^https:\S+#login=\S+\n$/) })
      expect(link?.stdout.startsWith(`${site}/`)).toBe(true)
    })

    it('stay behind one address while a gateway is down', async () => {
      const all = await through(['one', 'two', 'three'])
      const machines = async () => {
        const reply = await all.ok<{ machines: { name: string; isThis: boolean; isReachable: boolean }[] }>(
          'GET',
          '/api/machines',
        )
        return reply.machines
      }
      await until(
        async () => (await machines()).filter(({ isReachable }) => isReachable).length === 3,
        'three machines',
      )
      const used = (await machines()).find(({ isThis }) => isThis)?.name ?? ''
      for (let call = 0; call < 5; call++) expect((await machines()).find(({ isThis }) => isThis)?.name).toBe(used)
      const { ask } = await raise(used, 'deploy-1.5')
      await gateways.get(used)?.kill9()
      const other = (await machines()).find(({ isThis }) => isThis)?.name
      expect(other).not.toBe(used)
      await until(async () => (await all.openAsks()).some(({ id }) => id === ask.id), 'the ask at another gateway')
    })
  })
})

/** As the service `database`: its settings, its rules of access, and the role of its gateways. */
async function startDatabase(secrets: string): Promise<PostgresServer> {
  const server = await startPostgres()
  const { uid, gid } = statSync(server.folder)
  const own = join(secrets, 'database')
  for (const path of [own, ...readdirSync(own).map((name) => join(own, name))]) chownSync(path, uid, gid)
  for (const statement of readFileSync(join(own, 'role.sql'), 'utf8').split(/;\n/)) {
    if (statement.trim() !== '') await server.sql(statement)
  }
  const rules = join(server.folder, 'pg_hba.conf')
  writeFileSync(rules, `${read('pg_hba.conf')}host all holdpoint 127.0.0.1/32 trust\n`)
  const settings = services.database?.command.filter((word) => word.includes('=')).map((word) => word.split('=')) ?? []
  const here = (value: string) => (value.endsWith('pg_hba.conf') ? rules : value.replace('/secrets/', `${secrets}/`))
  await server.kill()
  await server.start(Object.fromEntries(settings.map(([name = '', value = '']) => [name, here(value)])))
  return server
}

interface Proxy {
  readonly url: string
  close(): Promise<void>
}

/** What Caddy does with `lb_policy client_ip_hash`: one client has one gateway, and another one only while that is down. */
async function startStickyProxy(
  targets: readonly { readonly name: string; readonly port: number }[],
  { ca, host }: { readonly ca: string; readonly host: string },
): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const weight = ({ name }: { name: string }) =>
      createHash('sha256').update(`${incoming.socket.remoteAddress} ${name}`).digest('hex')
    const order = targets.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1))
    const pass = async () => {
      for (const { name, port } of order) {
        if (!(await isListening(port))) continue
        const headers = { ...incoming.headers, host }
        const options = { port, host: '127.0.0.1', ca, servername: name, method: incoming.method, path: incoming.url }
        const passed = request({ ...options, headers }, (reply) => {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(outgoing)
        })
        passed.on('error', (error) => outgoing.destroy(error))
        incoming.pipe(passed)
        return
      }
      outgoing.writeHead(502).end()
    }
    void pass()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
