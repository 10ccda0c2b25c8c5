import { TOLD_BYTES, TOLD_PER_SECOND } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import type { Query } from './database.ts'

type Listener = (text: string, from: NodeId) => void

/** Texts that are kept nowhere, in the notification itself. */
export class Telling {
  readonly #node: NodeId
  readonly #query: Query
  readonly #listeners = new Set<Listener>()
  #waiting: string[] = []
  #count = 0
  #second = { at: 0, left: 0 }

  /** `query`: always on the same connection, so that they come in their order. */
  constructor(node: NodeId, query: Query) {
    this.#node = node
    this.#query = query
  }

  tell(text: string): void {
    if (Buffer.byteLength(text) > TOLD_BYTES || text.includes('\0') || !this.#mayTell()) return
    // With a number: of two that are alike PostgreSQL tells one.
    const isFirst = this.#waiting.push(`${this.#node} ${++this.#count} ${text}`) === 1
    if (isFirst) setImmediate(() => this.#send())
  }

  onTold(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  heard(payload: string): void {
    const [from] = payload.split(' ', 1) as [NodeId]
    if (from === this.#node) return
    const text = payload.slice(payload.indexOf(' ', from.length + 1) + 1)
    for (const listener of this.#listeners) listener(text, from)
  }

  #send(): void {
    const texts = this.#waiting
    this.#waiting = []
    void (async () => this.#query('SELECT tell($1::text[])', [texts]))().catch(() => {})
  }

  #mayTell(): boolean {
    const now = performance.now()
    if (now - this.#second.at >= 1_000) this.#second = { at: now, left: TOLD_PER_SECOND }
    return this.#second.left-- > 0
  }
}
