import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.ts'
import { storeFault } from './sqlite-error.ts'
import { migrate, readPragma, refuseNewer } from './sqlite-migrations.ts'

/** "Hold", in the file's header: says that the file is ours. */
const APPLICATION_ID = 0x486f6c64

/** Pages of the write-ahead file before they move on into the database. */
const LOG_PAGES = 2000
const LOG_BYTES = 32 + LOG_PAGES * (24 + 4096)

export interface SqliteFile {
  readonly path: string
  readonly driver: SqliteDriver
  /** Throws when the data folder is not ours any more; called before every use of the file. */
  readonly checkLock?: () => void
}

/**
 * Opens the database and brings it up to date; makes it when there is none. What is checked here is that the file is ours,
 * as long as it says, and that its tables can be found: a check of every page would cost more the longer the past is.
 */
export function openSqliteFile(file: SqliteFile): SqliteConnection {
  if (!existsSync(file.path)) createFile(file)
  if (statSync(file.path).size === 0) throw damaged(file.path, 'the file is empty')
  const connection = connect(file)
  try {
    if (readPragma(connection, 'application_id') !== APPLICATION_ID) {
      throw damaged(file.path, 'it is not a Holdpoint database')
    }
    refuseNewer(connection, file.path)
    migrate(connection)
    // A write that changes nothing: it makes the write-ahead file, so that it can be given its size and mode.
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    reserveLog(file.path)
    setModes(file.path)
    return connection
  } catch (error) {
    closeQuietly(connection)
    throw storeFault(error, file.path)
  }
}

/**
 * Gives the write-ahead file its full size at once. A flush of a file that has just grown makes the file system write
 * its own records too, which took commits half as long again (measured). The zeros at its end are no frames to SQLite.
 */
function reserveLog(path: string): void {
  const log = `${path}-wal`
  const before = existsSync(log) ? statSync(log).size : 0
  if (before === 0 || before >= LOG_BYTES) return
  const file = openSync(log, 'r+')
  try {
    const missing = LOG_BYTES - before
    const written = tryWrite(file, Buffer.alloc(missing), before)
    // No room: then it grows as it is needed, as far as it can.
    if (written < missing || !tryFlush(file)) ftruncateSync(file, before)
  } finally {
    closeSync(file)
  }
}

function tryFlush(file: number): boolean {
  try {
    fsyncSync(file)
    return true
  } catch {
    return false
  }
}

function tryWrite(file: number, bytes: Buffer, position: number): number {
  try {
    return writeSync(file, bytes, 0, bytes.length, position)
  } catch {
    return 0
  }
}

/** Opens a file that this process has already checked, after its connection broke. */
export function reopenSqliteFile(file: SqliteFile): SqliteConnection {
  const connection = connect(file)
  setModes(file.path)
  return connection
}

/**
 * Made under another name and moved into place when complete, so that an empty or half-made file under the real name
 * is always damage and never taken for a fresh start (F24).
 */
function createFile({ path, driver }: SqliteFile): void {
  if (existsSync(`${path}-wal`)) throw damaged(path, 'the file is gone, but its -wal is still there')
  const fresh = `${path}.new`
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true })
  closeSync(openSync(fresh, 'wx', 0o600))
  const connection = connect({ path: fresh, driver })
  try {
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    migrate(connection)
  } catch (error) {
    closeQuietly(connection)
    throw storeFault(error, path)
  }
  connection.close()
  renameSync(fresh, path)
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function connect({ path, driver }: SqliteFile): SqliteConnection {
  let connection: SqliteConnection | undefined
  try {
    connection = driver.open(path)
    // The locking mode comes first: without shared memory, a WAL file can be read under an exclusive lock only.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    connection.exec('PRAGMA journal_mode = WAL')
    connection.exec('PRAGMA synchronous = FULL')
    // What was removed is overwritten where its page is written anyway.
    connection.exec('PRAGMA secure_delete = FAST')
    connection.exec('PRAGMA cache_size = -16000')
    connection.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`)
    return connection
  } catch (error) {
    if (connection) closeQuietly(connection)
    throw storeFault(error, path)
  }
}

/** The files next to the database do not take its mode from every driver (T54). */
function setModes(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600)
  // The directory that one of the drivers locks with.
  if (existsSync(`${path}.lock`)) chmodSync(`${path}.lock`, 0o700)
}

function damaged(path: string, problem: string): StoreFault {
  return new StoreFault(
    'corrupt',
    `${path} is damaged: ${problem}. It was not changed. Restore it from a backup, or start with another data folder.`,
  )
}

function closeQuietly(connection: SqliteConnection): void {
  try {
    connection.close()
  } catch {
    // What went wrong before matters more, and is what the caller hears.
  }
}
