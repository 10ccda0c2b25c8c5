import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)
/** After a kill it recovers first, which takes long on a busy disk. */
const START_MS = 120_000

export interface PostgresServer {
  readonly port: number
  /** The folder of its Unix socket and its data. */
  readonly folder: string
  /** A database of its own, empty, by a URL. */
  createDatabase(options?: { encoding?: string }): Promise<string>
  /** Runs SQL as the superuser, in this database or in the one that is always there. */
  sql(text: string, url?: string): Promise<readonly Record<string, unknown>[]>
  /** As a power cut for it: all of its processes end at once. */
  kill(): Promise<void>
  start(settings?: Settings): Promise<void>
  /** Another one, which follows this one under the name "standby". For the copy, this one is away for a moment. */
  standby(): Promise<PostgresServer>
  [Symbol.asyncDispose](): Promise<void>
}

type Settings = Readonly<Record<string, string | number>>

const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' }

/** A PostgreSQL of the test's own, in a temporary folder, on a free port of loopback. */
export async function startPostgres(settings: Settings = {}): Promise<PostgresServer> {
  const folder = ownFolder()
  const options = ['--username=holdpoint', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  const initdb = join(programsFolder(), 'initdb')
  await run(initdb, [`--pgdata=${join(folder, 'data')}`, ...options], { ...notRoot(), cwd: folder, env: ENVIRONMENT })
  return serve(folder, settings)
}

/** The server of a folder that has its data. */
async function serve(folder: string, settings: Settings): Promise<PostgresServer> {
  const postgres = join(programsFolder(), 'postgres')
  const data = join(folder, 'data')
  const user = notRoot()
  let child: ChildProcess | undefined
  let port = 0
  let databases = 0

  async function sql(text: string, url = urlOf('postgres')) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<Record<string, unknown>>(text)
      return rows
    } finally {
      await client.end().catch(() => {})
    }
  }
  const urlOf = (database: string) => `postgres://holdpoint@127.0.0.1:${port}/${database}`

  async function stop(signal: NodeJS.Signals): Promise<void> {
    const ending = child
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const pids = signal === 'SIGKILL' ? childrenOf(ending.pid) : []
    const exited = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill(signal)
    for (const pid of pids) tryKill(pid)
    await exited
  }

  async function start(more: Settings = {}): Promise<void> {
    port ||= await freePort()
    const all = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: folder,
      max_connections: 100,
      shared_buffers: '64MB',
      ...settings,
      ...more,
    }
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const until = Date.now() + START_MS
    for (;;) {
      child = spawn(postgres, ['-D', data, ...args], { ...user, cwd: folder, env: ENVIRONMENT, stdio: 'ignore' })
      // After a kill an old process may hold the shared memory for a moment: the start is refused, and tried again.
      while (child.exitCode === null && Date.now() < until) {
        if (await isReady()) return
        await sleep(20)
      }
      if (Date.now() > until) throw new Error('PostgreSQL did not start')
      await sleep(50)
    }
  }

  async function isReady(): Promise<boolean> {
    try {
      await sql('SELECT 1')
      return true
    } catch {
      return false
    }
  }

  const server: PostgresServer = {
    get port() {
      return port
    },
    folder,
    async createDatabase({ encoding = 'UTF8' } = {}) {
      // A standby has those of its primary.
      const name = `test_${port}_${++databases}`
      const locale = encoding === 'UTF8' ? '' : `LC_COLLATE 'C' LC_CTYPE 'C'`
      await sql(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' ${locale}`)
      return urlOf(name)
    },
    sql,
    kill: () => stop('SIGKILL'),
    start,
    async standby() {
      const other = ownFolder()
      await stop('SIGINT')
      await run('cp', ['-a', data, join(other, 'data')])
      await start()
      writeFileSync(join(other, 'data', 'standby.signal'), '')
      const primary = `host=127.0.0.1 port=${port} user=holdpoint application_name=standby`
      return serve(other, { ...settings, primary_conninfo: primary, wal_retrieve_retry_interval: 50 })
    },
    async [Symbol.asyncDispose]() {
      await stop('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await start()
  return server
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hp-pg-'))
  const user = notRoot()
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o755)
  return folder
}

/** Where the tests' set-up has found it. */
function programsFolder(): string {
  const folder = process.env.POSTGRES_PROGRAMS
  if (!folder) throw new Error('PostgreSQL is not installed: "apt-get install postgresql", as root.')
  return folder
}

/** PostgreSQL refuses to run as root. */
function notRoot(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('nobody:'))
  const [, , uid, gid] = (line ?? '').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

function childrenOf(pid: number | undefined): readonly number[] {
  const isChild = (each: string) => {
    try {
      return readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid)
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each) && isChild(each))
    .map(Number)
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
