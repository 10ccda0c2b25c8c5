import { spawn } from 'node:child_process'
import { chmod, mkdir, open, readFile, stat } from 'node:fs/promises'

export interface StartHostOptions {
  readonly dataDir: string
  readonly hostMain: string
  readonly lingerMs: number | undefined
}

export interface StartedHost {
  /** Undefined while it runs. Another host having been there first is not a failure: `taken`. */
  ended(): 'taken' | 'failed' | undefined
  /** The end of the host's log. */
  log(): Promise<string>
}

const EXIT_TAKEN = 3
const MAX_LOG_BYTES = 1024 * 1024
const LOG_TAIL = 2000

/** Starts a host of its own session: it outlives this process and the terminal this process has. */
export async function startHost(options: StartHostOptions): Promise<StartedHost> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  const logPath = `${options.dataDir}/host.log`
  const size = await stat(logPath).then(
    (entry) => entry.size,
    () => 0,
  )
  const log = await open(logPath, size > MAX_LOG_BYTES ? 'w' : 'a', 0o600)
  try {
    await chmod(logPath, 0o600)
    const linger = options.lingerMs === undefined ? [] : ['--linger', String(options.lingerMs)]
    const host = spawn(process.execPath, [options.hostMain, '--data', options.dataDir, ...linger], {
      cwd: options.dataDir,
      detached: true,
      env: withoutOurs(process.env),
      stdio: ['ignore', log.fd, log.fd],
    })
    let ended: 'taken' | 'failed' | undefined
    host.on('exit', (code) => {
      ended = code === EXIT_TAKEN || code === 0 ? 'taken' : 'failed'
    })
    host.on('error', () => {
      ended = 'failed'
    })
    host.unref()
    return { ended: () => ended, log: async () => (await readFile(logPath, 'utf8').catch(() => '')).slice(-LOG_TAIL) }
  } finally {
    await log.close()
  }
}

/**
 * The host passes on what it is given to no agent, but it lives long: it gets none of our secrets to begin with, nor those
 * of a client of PostgreSQL (T72).
 */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(HOLDPOINT_|PG)/.test(name)))
}
