import { StoreFault } from '@holdpoint/core/store'
import type { Query } from './database.ts'

/** How far this gateway has read the log, and whether the log there is still the same one. */
export class LogPlace {
  readonly #onReplaced = new Set<(fault: StoreFault) => void>()
  #seq = 0
  #hash: string | null = null
  /** What the log there may be called. */
  readonly #names = new Set<string>()
  /** The newest position at the last look. */
  #looked = 0
  #replaced: StoreFault | undefined

  /** Of the newest position that was read or written here. */
  note(stored: { readonly seq: number; readonly hash: string } | undefined): void {
    if (!stored || stored.seq <= this.#seq) return
    this.#seq = stored.seq
    this.#hash = stored.hash
  }

  onReplaced(listener: (fault: StoreFault) => void): () => void {
    if (this.#replaced) listener(this.#replaced)
    this.#onReplaced.add(listener)
    return () => void this.#onReplaced.delete(listener)
  }

  /** Also this one: it is about to be called so. */
  accept(name: string): void {
    this.#names.add(name)
  }

  /** Throws once the log was found to be another one. */
  refuse(): void {
    if (this.#replaced) throw this.#replaced
  }

  /**
   * At the begin of each connection, and at each look. Gives the newest position. Throws, from then on always, if the log is
   * another one than was read here (a backup, a standby): what is known here was never in it.
   */
  async compare(query: Query): Promise<number> {
    this.refuse()
    const hash = this.#hash
    const [found] = await query<{ newest: number; hash: string | null; log: string }>(SELECT, [this.#seq])
    if (!found) throw new StoreFault('corrupt', 'The database has lost what it says of itself.')
    if (this.#names.size === 0) this.#names.add(found.log)
    if (found.hash === hash && this.#names.has(found.log)) return found.newest
    this.refuse()
    this.#replaced = new StoreFault('replaced', REPLACED)
    for (const listener of this.#onReplaced) listener(this.#replaced)
    throw this.#replaced
  }

  /** Whether there is something that was not read here, and that no look has told of. */
  async look(query: Query, { isNew }: { readonly isNew: boolean }): Promise<boolean> {
    const newest = await this.compare(query)
    const isNews = isNew || newest > Math.max(this.#looked, this.#seq)
    this.#looked = newest
    return isNews
  }
}

const REPLACED =
  'The log is not the one that was read before: a backup was restored, or a standby took over without the newest events. This gateway reads and writes nothing more. Start it again: it then goes on with the log as it is.'

const SELECT = `SELECT coalesce((SELECT max(seq) FROM events), 0) AS newest,
  (SELECT encode(hash, 'hex') FROM events WHERE seq = $1) AS hash, id AS log FROM cluster`
