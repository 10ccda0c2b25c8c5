import { closeSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault } from '@holdpoint/core/store'
import { processStart } from './process-start.ts'
import { storeFault } from './sqlite-error.ts'

/** Who wrote a lock's file, and for which folder. Without a start nobody can tell whether it still runs. */
export interface LockOwner {
  readonly pid: number
  readonly start?: string
  /** The folder's inode number. */
  readonly folder: number
}

/** This process, as its lock's file names it. */
export async function ownName(path: string): Promise<LockOwner> {
  const start = await processStart(process.pid)
  return { pid: process.pid, ...(start !== undefined && { start }), folder: folderOf(path) }
}

/**
 * The process that the file names, if that very one still runs. A pid that was given out again does not count, nor does
 * a file that came here with a copy of the holder's folder.
 */
export async function livingOwner(path: string): Promise<LockOwner | undefined> {
  const owner = readOwner(path)
  if (owner?.start === undefined || owner.folder !== folderOf(path)) return undefined
  return (await processStart(owner.pid)) === owner.start ? owner : undefined
}

/**
 * The file beside a data folder's socket. It says who holds the folder also when the socket's name is gone, and each look
 * at it tells the holder at once whether somebody else has taken its place.
 */
export class LockFile {
  readonly #path: string
  readonly #text: string
  /** Open as long as the lock is held: until then no other file can get the same inode number. */
  #file: number

  /** Takes the place of one whose owner is gone. Throws a `StoreFault` when somebody else is quicker. */
  constructor(path: string, owner: LockOwner) {
    this.#path = path
    this.#text = `${JSON.stringify(owner)}\n`
    rmSync(path, { force: true })
    this.#file = this.#make()
  }

  /** False when another file is in its place. One that was only removed is made again: nobody else can have it then. */
  isHeld(): boolean {
    try {
      const there = statSync(this.#path, { throwIfNoEntry: false })
      if (there) return isSame(there, fstatSync(this.#file))
      const file = this.#make()
      closeSync(this.#file)
      this.#file = file
      return true
    } catch (error) {
      const fault = storeFault(error, this.#path)
      if (fault.code === 'locked') return false
      throw fault
    }
  }

  release(): void {
    const there = statSync(this.#path, { throwIfNoEntry: false })
    if (there && isSame(there, fstatSync(this.#file))) rmSync(this.#path, { force: true })
    closeSync(this.#file)
  }

  #make(): number {
    const file = this.#open()
    try {
      writeSync(file, this.#text)
      return file
    } catch (error) {
      closeSync(file)
      rmSync(this.#path, { force: true })
      throw storeFault(error, this.#path)
    }
  }

  #open(): number {
    try {
      return openSync(this.#path, 'wx', 0o600)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw storeFault(error, this.#path)
      throw new StoreFault('locked', `Another Holdpoint process created ${this.#path} first.`, { cause: error })
    }
  }
}

function folderOf(path: string): number {
  return statSync(dirname(path)).ino
}

function isSame(one: { dev: number; ino: number }, other: { dev: number; ino: number }): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

function readOwner(path: string): LockOwner | undefined {
  try {
    const { pid, start, folder } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    if (typeof pid !== 'number' || typeof folder !== 'number') return undefined
    return { pid, ...(typeof start === 'string' && { start }), folder }
  } catch {
    return undefined
  }
}
