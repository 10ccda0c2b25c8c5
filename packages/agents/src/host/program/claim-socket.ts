import { chmod, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface ClaimOptions {
  /** Ready to be connected to: a connection can come before the claim is settled. */
  readonly server: Server
  readonly dataDir: string
  readonly path: string
  /** Runs when it is certain that no other host is alive, before anyone can connect. */
  readonly prepare: () => Promise<void>
}

const LOCK_WAIT_MS = 10_000
/** Nobody holds the lock this long: it is older when its holder's pid has been given to another process. */
const LOCK_AGE_MS = 30_000

/**
 * Listens on the host's socket; false when another host already does. Looking whether the old socket is alive,
 * removing it and listening are three steps: without the lock a second host could remove the first one's new socket.
 */
export async function claimSocket(options: ClaimOptions): Promise<boolean> {
  await chmod(options.dataDir, 0o700)
  const release = await lock(`${options.dataDir}/host.lock`)
  if (!release) return false
  try {
    if (await someoneListens(options.path)) return false
    await options.prepare()
    await rm(options.path, { force: true })
    await listen(options.server, options.path)
    return true
  } finally {
    await release()
  }
}

function someoneListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // Anything else, a full backlog for one, is a sign of life.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED'),
    )
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', resolve)
    // The socket is made inside this call. The mask must not stay: agents inherit it, and so would all they write.
    const mask = process.umask(0o177)
    try {
      server.listen(path)
    } finally {
      process.umask(mask)
    }
  })
}

async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  const own = `${path}.${process.pid}`
  const deadline = performance.now() + LOCK_WAIT_MS
  await writeFile(own, String(process.pid), { mode: 0o600 })
  try {
    // Linked, not created: a lock that can be seen has its holder's pid in it.
    while (!(await tryLink(own, path))) {
      if (performance.now() > deadline) return undefined
      if (await isStale(path)) await breakLock(path)
      else await delay(20)
    }
    return () => rm(path, { force: true })
  } finally {
    await rm(own, { force: true })
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isStale(path: string): Promise<boolean> {
  const holder = await readFile(path, 'utf8').catch(() => undefined)
  const entry = await stat(path).catch(() => undefined)
  if (holder === undefined || !entry) return false
  return !isRunning(Number(holder)) || Date.now() - entry.mtimeMs > LOCK_AGE_MS
}

async function breakLock(path: string): Promise<void> {
  const broken = `${path}.${process.pid}.broken`
  // Of several who break the same lock one gets it. Should it be a new one by then, it goes back.
  const got = await rename(path, broken).then(
    () => true,
    () => false,
  )
  if (got && !(await isStale(broken))) await tryLink(broken, path)
  await rm(broken, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
