import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Lives of agents whose calls are remembered at a time; others are read when they are asked for. */
const MAX_EPOCHS = 1000

interface Epoch {
  readonly sessionId: SessionId
  readonly epoch: number
}

/**
 * Which asks a tool call led to. In memory, read from the tables when a session's first call is looked for: an index in
 * the file would spread the asks of one commit over as many pages as they have sessions, and was a third of its time.
 */
export class SqliteToolUses {
  readonly #db: SqliteDatabase
  readonly #epochs = new Map<string, Map<string, readonly AskId[]>>()
  #connections = 0

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** The asks of this call, newest first. Runs inside `guard`. */
  find(key: Epoch & { toolUseId: string }): readonly AskId[] {
    this.#checkConnection()
    return (this.#epochs.get(nameOf(key)) ?? this.#read(key)).get(key.toolUseId) ?? []
  }

  /** After the commit. */
  note(event: DurableEvent): void {
    this.#checkConnection()
    if (event.type !== 'ask-raised' || event.ask.toolUseId === undefined) return
    const calls = this.#epochs.get(nameOf(event.ask))
    if (calls) add(calls, event.ask.toolUseId, event.ask.id)
  }

  #read(key: Epoch): Map<string, readonly AskId[]> {
    const rows = this.#db.all<{ id: AskId; toolUse: string }>(SELECT_TOOL_USES, [key.sessionId, key.epoch])
    const calls = new Map<string, readonly AskId[]>()
    for (const { id, toolUse } of rows) add(calls, JSON.parse(toolUse) as string, id)
    for (const oldest of this.#epochs.keys()) {
      if (this.#epochs.size < MAX_EPOCHS) break
      this.#epochs.delete(oldest)
    }
    this.#epochs.set(nameOf(key), calls)
    return calls
  }

  /** A commit whose flush failed may have reached the file after all: a new connection shows it. */
  #checkConnection(): void {
    if (this.#connections === this.#db.connections) return
    this.#connections = this.#db.connections
    this.#epochs.clear()
  }
}

function add(calls: Map<string, readonly AskId[]>, toolUseId: string, id: AskId): void {
  calls.set(toolUseId, [id, ...(calls.get(toolUseId) ?? [])])
}

function nameOf({ sessionId, epoch }: Epoch): string {
  return `${sessionId} ${epoch}`
}

const SELECT_TOOL_USES = `SELECT id, tool_use_id AS toolUse FROM asks
  WHERE session_id = ? AND epoch = ? AND tool_use_id IS NOT NULL ORDER BY raised_seq`
