import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { familyOf, runningProcesses } from '@holdpoint/agents/processes/processes'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { use } from '@holdpoint/demo-model/script'
import type { Session } from '@holdpoint/schema/session'
import { readNodeId } from '@holdpoint/store/node-id'
import { openPostgresCluster } from '@holdpoint/store/postgres/open-cluster'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BuiltGateway, runCommand, startBuiltGateway } from '../built-gateway.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'

const PASSWORD = 'sehr-geheim'
const OTHER = 'nod_0000000000000000000000000a' as const

/** The programs in dist/, as people run them, on a database that wants a password. */
describe('a gateway on a database', () => {
  let server: PostgresServer
  let model: DemoModel
  let gateway: BuiltGateway
  let address: string
  let home: string
  const withPassword = () => address.replace('someone@', `someone:${PASSWORD}@`)

  beforeAll(async () => {
    server = await startPostgres()
    model = await startDemoModel({ script: () => ({ content: [use('Bash', { command: 'date >> ran' })] }) })
    home = mkdtempSync(join(tmpdir(), 'hp-home-'))
    const own = await server.createDatabase()
    address = own.replace('holdpoint@', 'someone@')
    await server.sql(`CREATE ROLE someone LOGIN PASSWORD '${PASSWORD}'`)
    await server.sql(`GRANT CREATE ON DATABASE ${own.split('/').at(-1)} TO someone`)
    const rules = join(server.folder, 'data', 'pg_hba.conf')
    writeFileSync(rules, `host all someone all scram-sha-256\n${readFileSync(rules, 'utf8')}`)
    await server.sql('SELECT pg_reload_conf()')
    mkdirSync(join(home, '.claude'))
    const hook = { matcher: '*', hooks: [{ type: 'command', command: `env > ${home}/hook-environment` }] }
    writeFileSync(join(home, '.claude/settings.json'), JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }))
    gateway = await startBuiltGateway({
      args: ['--machine-name', 'this machine', '--advertise', 'https://this.example'],
      env: {
        ...claudeEnvironment({ home, url: model.url }),
        HOLDPOINT_DATABASE: withPassword(),
        PGPASSWORD: PASSWORD,
        PGHOST: 'db.example',
        PGPASSFILE: '/nowhere',
      },
    })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await model.close()
    await server[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })

  it('T72 keeps the password from its host, agents, terminals and hooks, and says it nowhere', async () => {
    const session = { agent: 'claude', cwd: home, prompt: 'Do it.' }
    const { id } = await gateway.api.ok<Session>('POST', '/api/sessions', session)
    // With the environment of a shell in which somebody uses the database.
    const env = { PATH: process.env.PATH, PGPASSWORD: PASSWORD, HOLDPOINT_DATABASE: withPassword(), SEEN: 'yes' }
    const terminal = { command: 'sleep', args: ['600'], cwd: home, env, cols: 80, rows: 24 }
    await gateway.api.ok<Session>('POST', '/api/terminals', terminal)
    await until(async () => (await gateway.api.openAsks(id)).length === 1, 'an ask of the agent')

    const status = await gateway.command(['status', '--json'])
    const { host } = JSON.parse(status.stdout) as { host: { pid: number; agents: string[] } }
    expect(host.agents).toHaveLength(2)
    const processes = (await runningProcesses()) ?? []
    const family = familyOf(host.pid, processes)
    const environments = family.map(({ pid }) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'))
    // Host, agent, the terminal's helper and its program.
    expect(family.length).toBeGreaterThanOrEqual(4)
    expect(environments.filter((lines) => lines.includes('SEEN=yes')).length).toBeGreaterThanOrEqual(1)
    expect(environments.flat().filter((line) => /^(PG|HOLDPOINT_)/.test(line) || line.includes(PASSWORD))).toEqual([])
    expect(readFileSync(`${home}/hook-environment`, 'utf8')).toContain('HOME=')
    expect(readFileSync(`${home}/hook-environment`, 'utf8')).not.toMatch(new RegExp(`^PG|^HOLDPOINT_|${PASSWORD}`, 'm'))

    const commands = [gateway.pid, ...family.map(({ pid }) => pid)].map((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    )
    const pages = await Promise.all(
      ['/api/status', '/api/machines', '/metrics'].map(async (path) => (await gateway.api.call('GET', path)).body),
    )
    for (const text of [...commands, status.stdout, gateway.stderr(), JSON.stringify(pages)])
      expect(text).not.toContain(PASSWORD)
  })

  it('shows the machines, renames one, drains it, gives it up and forgets it', async () => {
    const command = async (...args: string[]) => gateway.command(['machines', ...args])
    const other = await openPostgresCluster({
      address: withPassword(),
      node: OTHER,
      version: '9.9.9',
      name: 'the other',
    })
    other.cluster.describe({ version: '9.9.9', agents: ['claude'] })
    const listed = () => gateway.api.ok<{ machines: object[] }>('GET', '/api/machines')
    await until(async () => (await listed()).machines.length === 2, 'the other machine')
    const status = await gateway.command(['status'])
    expect(status.stdout).toMatch(
      /Machines {2}2 of 2 reachable\n.*\n +\S+ +the other +reachable +\ds ago +9\.9\.9 +claude\n/,
    )
    expect(status.stdout).toMatch(/this machine +reachable, this gateway/)

    expect(await command('rename', 'the other', ' Build 7 ')).toMatchObject({ code: 0 })
    expect(await command('drain', OTHER.slice(-6))).toMatchObject({ code: 0 })
    await until(async () => JSON.stringify(await listed()).includes('"isDraining":true'), 'it to drain')
    expect((await command('list')).stdout).toMatch(/Build 7 +reachable, draining/)
    expect(await command('undrain', 'Build 7')).toMatchObject({ code: 0 })
    for (const gone of ['give-up', 'forget']) {
      expect(await command(gone, 'Build 7', '--yes')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('can be reached'),
      })
    }
    await other.cluster.close()
    await other.store.close()
    await until(async () => JSON.stringify(await listed()).includes('"isReachable":false'), 'it to be away')
    expect(await command('give-up', 'Build 7')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(await command('give-up', 'Build 7', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('0 sessions'),
    })
    expect(await command('forget', 'Build 7', '--yes')).toMatchObject({ code: 0 })
    await until(async () => (await listed()).machines.length === 1, 'it to be forgotten')
    expect(await command('rename', 'Build 7', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no machine "Build 7"'),
    })
  })

  it('is verified while it runs', async () => {
    const env = { HOLDPOINT_DATABASE: withPassword() }
    const verified = await runCommand(['verify'], { env })
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^events +[1-9]\d*\n/) })
    await server.sql(`UPDATE holdpoint.events SET at = at + 1 WHERE seq = 1`, address.replace('someone@', 'holdpoint@'))
    onTestFinished(async () => {
      await server.sql(
        `UPDATE holdpoint.events SET at = at - 1 WHERE seq = 1`,
        address.replace('someone@', 'holdpoint@'),
      )
    })
    const changed = await runCommand(['verify'], { env })
    expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('The record is NOT intact.') })
  })

  it('ends when another gateway takes its identity, and says why', async () => {
    const node = await readNodeId(gateway.dataDir)
    if (!node) throw new Error('a node')
    const copy = await openPostgresCluster({ address: withPassword(), node, version: '1', name: 'a copy' })
    const { code, stderr } = await gateway.exited
    expect(code).toBe(4)
    expect(stderr).toContain('was its data folder copied?')
    await copy.cluster.close()
    await copy.store.close()

    const alone = await gateway.command(['start', '--port', '0'], { env: { HOLDPOINT_DATABASE: '' } })
    expect(alone).toMatchObject({ code: 4, stderr: expect.stringContaining('is in a database. Start with --database') })
    const wrong = { HOLDPOINT_DATABASE: withPassword().replace(PASSWORD, 'nonsense') }
    const refused = await gateway.command(['start', '--port', '0'], { env: wrong })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('does not accept this user or password') })
    expect(refused.stderr).not.toContain('nonsense')
  })
})
