import { chmodSync, existsSync, mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StoreFault } from '@holdpoint/core/store'
import { prepareDataFolder } from './data-folder.ts'
import { LockFile, livingOwner, ownName } from './lock-file.ts'
import { callHolder, type Holder, type HolderInfo } from './lock-holder.ts'
import { isListenedOn } from './removed-socket.ts'

/** Longer paths do not fit into a socket's address on every system. */
const MAX_SOCKET_PATH = 100
const GUARD_STALE_MS = 10_000
/** How long a lock that somebody removed may be without its socket while nothing is written. */
const WATCH_MS = 1000

export interface DataLock {
  /** What `readHolder` tells from now on. */
  describe(info: HolderInfo): void
  /**
   * Throws a `StoreFault` with code `locked` from the moment when somebody else has the folder. To be called before the
   * data is read or written. Puts the lock's file back where it was only removed.
   */
  check(): void
  /** Aborts when somebody else has the folder, with the fault that `check` throws from then on. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/**
 * Holds a data folder for this process (F27). The lock is a listening socket, which the system lets go of when the
 * process dies, however it dies; and a file beside it that names the process, for a socket's file can be removed while
 * its holder lives. Throws a `StoreFault` with code `locked` when somebody else holds the folder.
 */
export async function lockDataFolder(folder: string): Promise<DataLock> {
  prepareDataFolder(folder)
  const path = socketPath(resolve(folder))
  const ownerPath = join(folder, 'gateway.pid')
  const owner = await ownName(ownerPath)
  await refuseLiving(path, folder)
  await refuseOwner(ownerPath, folder)
  if (await isListenedOn(path)) throw lockedBy('a process whose socket was removed', folder)
  const holder: { current: Holder } = { current: { pid: process.pid } }
  let server = await bind({ path, folder, holder })
  const file = await claimFile().catch((error: unknown) => {
    server.close()
    throw error
  })
  const losing = new AbortController()

  async function claimFile() {
    // Another starter may have got this far, and its socket been removed, since the first look.
    await refuseOwner(ownerPath, folder)
    return new LockFile(ownerPath, owner)
  }

  function check() {
    if (!losing.signal.aborted && !file.isHeld()) {
      losing.abort(
        new StoreFault(
          'locked',
          `Another Holdpoint process has taken over ${folder}. This one no longer reads or writes it.`,
        ),
      )
    }
    losing.signal.throwIfAborted()
  }

  /** Clients find the gateway by its socket. Another's that stands there is left alone: our file says whose the folder is. */
  async function keepReachable() {
    check()
    if (existsSync(path)) return
    // Before the new socket is made: closing removes the file of that name.
    server.close()
    server = createLockServer(holder)
    if (await listen(server, path)) chmodSync(path, 0o600)
  }

  const watch = setInterval(() => {
    // A fault of the folder is thrown at the next read or write; that another gateway has it, is said by `lost`.
    keepReachable().catch(() => {})
  }, WATCH_MS)
  // A gateway that ends must not be kept alive by its lock.
  watch.unref()
  return {
    describe(info) {
      holder.current = { pid: process.pid, ...info }
    },
    check,
    lost: losing.signal,
    async release() {
      clearInterval(watch)
      // The socket goes last: a gateway that waits for the folder watches it.
      file.release()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function createLockServer(holder: { readonly current: Holder }): Server {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(`${JSON.stringify(holder.current)}\n`)
  })
  return server.unref()
}

async function bind(options: { path: string; folder: string; holder: { readonly current: Holder } }): Promise<Server> {
  const { path, folder, holder } = options
  for (;;) {
    const server = createLockServer(holder)
    if (!(await listen(server, path)) && !(await takeOver({ server, path, folder }))) continue
    chmodSync(path, 0o600)
    return server
  }
}

/** Who holds the folder; nothing when nobody does. Throws when the holder is there but does not answer. */
export async function readHolder(folder: string): Promise<Holder | undefined> {
  const answer = await callHolder(socketPath(folder))
  if (answer.state === 'silent') {
    throw new StoreFault('busy', `The gateway that uses ${folder} does not answer. Try again, or end its process.`)
  }
  return answer.state === 'answered' ? answer.holder : undefined
}

function socketPath(folder: string): string {
  const path = join(folder, 'gateway.sock')
  const length = Buffer.byteLength(path)
  if (length > MAX_SOCKET_PATH) {
    throw new StoreFault(
      'io',
      `The path ${path} has ${length} bytes; a socket's path may have ${MAX_SOCKET_PATH}. Choose a data folder with a shorter path.`,
    )
  }
  return path
}

/** False when the address is taken. */
function listen(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(new StoreFault('io', `Could not listen on ${path}: ${error.message}`, { cause: error }))
    }
    server.once('error', failed)
    server.listen(path, () => {
      server.off('error', failed)
      resolve(true)
    })
  })
}

/** Takes the address from a dead holder, refuses when there is a living one; false means: look again. */
async function takeOver(options: { server: Server; path: string; folder: string }): Promise<boolean> {
  const { server, path, folder } = options
  await refuseLiving(path, folder)
  const guard = join(folder, 'gateway.lock')
  const mark = takeGuard(guard)
  if (mark === undefined) {
    await setTimeout(20)
    return false
  }
  try {
    // Between the first look and the guard, another starter may have taken the address over.
    if ((await refuseLiving(path, folder)) === 'absent') return false
    // A process that was stopped for so long that its guard was taken away must not remove the new holder's socket.
    if (guardMark(guard) !== mark) return false
    rmSync(path, { force: true })
    return await listen(server, path)
  } finally {
    if (guardMark(guard) === mark) rmdirSync(guard)
  }
}

async function refuseLiving(path: string, folder: string): Promise<'absent' | 'dead'> {
  const answer = await callHolder(path)
  if (answer.state === 'absent' || answer.state === 'dead') return answer.state
  const { pid, url } = answer.state === 'answered' ? answer.holder : {}
  const who = [pid === undefined ? 'a process that does not answer' : `process ${pid}`, url].filter(Boolean).join(', ')
  throw lockedBy(who, folder)
}

/** A holder lives on when its socket's file is removed, and would decide the same asks as we do. */
async function refuseOwner(ownerPath: string, folder: string): Promise<void> {
  const owner = await livingOwner(ownerPath)
  if (owner) throw lockedBy(`process ${owner.pid}`, folder)
}

function lockedBy(who: string, folder: string): StoreFault {
  return new StoreFault(
    'locked',
    `Another Holdpoint (${who}) uses ${folder}. Stop it with "holdpoint stop", or choose another data folder with --data.`,
  )
}

/** One starter at a time clears away a dead holder's socket. Gives what tells this guard from a later one. */
function takeGuard(guard: string): string | undefined {
  try {
    mkdirSync(guard, { mode: 0o700 })
    return guardMark(guard)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  // One from the future is as old as that: the clock was set back since (F28).
  if (Math.abs(age) > GUARD_STALE_MS) rmSync(guard, { recursive: true, force: true })
  return undefined
}

function guardMark(guard: string): string | undefined {
  const found = statSync(guard, { throwIfNoEntry: false, bigint: true })
  return found && `${found.ino} ${found.birthtimeNs}`
}
