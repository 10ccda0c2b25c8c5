import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type RecordChange, TOLD_BYTES } from '@holdpoint/core/cluster'
import { backOff } from './back-off.ts'

type Listener = (change: RecordChange | undefined) => Promise<void>

/** What a change of a record came to, and the number that the authority has with it. */
interface OwnChange {
  readonly found: boolean
  readonly newest?: number
}

/** As it is told to other gateways: an empty text where it is too long, which means that any may have changed. */
export function toldOf({ collection, key }: RecordChange): string {
  const text = JSON.stringify([collection, key])
  return Buffer.byteLength(text) > TOLD_BYTES ? '' : text
}

/**
 * Changes of records in the order of their commits, and up to which of them what is in memory here is right. One after the
 * other: the number of the authority goes up only once everything before it was taken up.
 */
export class RecordChanges {
  readonly #stop = new AbortController()
  readonly #listeners = new Set<Listener>()
  readonly #waiting = new Set<() => void>()
  /** Changes of this gateway until they were heard of, by name: whether each went through, or is not known. */
  readonly #own = new Map<string, Promise<boolean>>()
  #authority = 0
  /** The newest number that was heard of. */
  #heard = 0
  #turn: Promise<void> = Promise.resolve()

  get authority(): number {
    return this.#authority
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  authorityAfter(number: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    return new Promise((resolve) => {
      const isDone = () => this.#authority > number || signal.aborted || this.#stop.signal.aborted
      if (isDone()) return resolve()
      const look = () => {
        if (!isDone()) return
        this.#waiting.delete(look)
        signal.removeEventListener('abort', look)
        resolve()
      }
      this.#waiting.add(look)
      signal.addEventListener('abort', look, { once: true })
    })
  }

  /** Makes a change of this gateway. What it changes in memory is up to its caller, once this has returned. */
  async own(name: string, commit: () => Promise<OwnChange>): Promise<boolean> {
    const change = commit()
    const isDone = change.then(
      // The caller goes on first.
      () => setImmediate(true),
      () => false,
    )
    this.#own.set(name, isDone)
    try {
      const { found, newest } = await change
      // Nobody is told of what was not there.
      if (!found) this.#own.delete(name)
      if (newest !== undefined) void isDone.then(() => this.#next(newest))
      return found
    } catch (error) {
      // Should it be there after all, it is news here as well.
      this.#own.delete(name)
      throw error
    }
  }

  /** A notification: number of the authority, or 0 where it has not changed; name of the change; what was changed. */
  heard(payload: string): void {
    const [number, name, ...rest] = payload.split(' ')
    const told = rest.join(' ')
    const newest = Number(number)
    const own = this.#own.get(name ?? '')
    this.#own.delete(name ?? '')
    // Part of what was read when the connection began.
    if (newest !== 0 && newest <= this.#heard) return
    if (newest !== 0) this.#heard = newest
    this.#then(async () => {
      if (!(await own)) await this.#tell(told === '' ? undefined : changeOf(told))
      if (newest !== 0) this.#set(newest)
    })
  }

  /** The number as it was read. On a new connection any record may have changed since the last one. */
  read(newest: number, { isNew }: { readonly isNew: boolean }): void {
    if (!isNew && newest <= this.#heard) return
    this.#heard = newest
    const own = [...this.#own.values()]
    this.#own.clear()
    this.#then(async () => {
      await Promise.all(own)
      await this.#tell(undefined)
      this.#set(newest)
    })
  }

  /** The number at the start: whoever reads records does so from now on. */
  begin(newest: number): void {
    this.#heard = newest
    this.#set(newest)
  }

  close(): void {
    this.#stop.abort()
    for (const look of [...this.#waiting]) look()
  }

  /** Sooner than it is heard of: nobody else has changed anything in between. */
  #next(newest: number): void {
    if (newest !== this.#heard + 1 || this.#authority !== this.#heard) return
    this.#heard = newest
    this.#set(newest)
  }

  #set(newest: number): void {
    this.#authority = newest
    for (const look of [...this.#waiting]) look()
  }

  #then(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work)
  }

  /** Until all have read it: before that, nothing here may be decided by a newer number. */
  async #tell(change: RecordChange | undefined): Promise<void> {
    let due = [...this.#listeners]
    for (let attempt = 0; due.length > 0 && !this.#stop.signal.aborted; attempt++) {
      if (attempt > 0) await sleep(backOff(attempt), undefined, { signal: this.#stop.signal }).catch(() => {})
      const results = await Promise.allSettled(due.map(async (listener) => listener(change)))
      due = due.filter((_, n) => results[n]?.status === 'rejected')
    }
  }
}

function changeOf(told: string): RecordChange {
  const [collection, key] = JSON.parse(told) as [string, string]
  return { collection, key }
}
