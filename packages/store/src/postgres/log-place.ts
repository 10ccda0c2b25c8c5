import { StoreFault } from '@holdpoint/core/store'
import type { Query } from './database.ts'

/** How far this gateway has read the log, and whether the log there is still the same one. */
export class LogPlace {
  readonly #onReplaced = new Set<() => void>()
  #seq = 0
  #hash: string | null = null
  #log: string | undefined
  #isWriterToTell = false

  /** The newest position that was read or written here. */
  get seq(): number {
    return this.#seq
  }

  note(stored: { readonly seq: number; readonly hash: string } | undefined): void {
    if (!stored || stored.seq <= this.#seq) return
    this.#seq = stored.seq
    this.#hash = stored.hash
  }

  onReplaced(listener: () => void): () => void {
    this.#onReplaced.add(listener)
    return () => void this.#onReplaced.delete(listener)
  }

  /**
   * Gives the newest position of the log. Throws if it is another log than the one that was read (a backup, a standby): once
   * for whoever finds out, and once for the writer, whose next commit was decided on the log before.
   */
  async compare(query: Query, by: 'reader' | 'writer'): Promise<number> {
    const seq = this.#seq
    const hash = this.#hash
    const [found] = await query<{ newest: number; hash: string | null; log: string }>(SELECT, [seq])
    if (!found) throw new StoreFault('corrupt', 'The database has lost what it says of itself.')
    const isOther = found.hash !== hash || found.log !== (this.#log ?? found.log)
    this.#log = found.log
    if (isOther) {
      this.#seq = 0
      this.#hash = null
      this.#isWriterToTell = true
      for (const listener of this.#onReplaced) listener()
    }
    const isToTell = by === 'writer' && this.#isWriterToTell
    if (!isOther && !isToTell) return found.newest
    if (isToTell) this.#isWriterToTell = false
    throw new StoreFault(
      'io',
      'The log is not the one that was read before: a backup was restored, or a standby took over. It is read anew. Nothing was written.',
    )
  }
}

const SELECT = `SELECT coalesce((SELECT max(seq) FROM events), 0) AS newest,
  (SELECT encode(hash, 'hex') FROM events WHERE seq = $1) AS hash, id AS log FROM cluster`
