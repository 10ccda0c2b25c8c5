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
 * Which ask of the agent's own a tool call led to. In memory, read from the tables when a session's first call is looked for: an index in
 * the file would spread the asks of one commit over as many pages as they have sessions, and was a third of its time.
 */
export class SqliteToolUses {
  readonly #db: SqliteDatabase
  readonly #epochs = new Map<string, Map<string, AskId>>()
  #connections = 0

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** The newest ask of this call. Runs inside `guard`. */
  find(key: Epoch & { toolUseId: string }): AskId | undefined {
    this.#checkConnection()
    return (this.#epochs.get(nameOf(key)) ?? this.#read(key)).get(key.toolUseId)
  }

  /** After the commit. */
  note(event: DurableEvent): void {
    this.#checkConnection()
    if (event.type === 'ask-raised') {
      const { id, toolUseId, raisedBy } = event.ask
      if (toolUseId !== undefined && raisedBy === undefined) this.#epochs.get(nameOf(event.ask))?.set(toolUseId, id)
    }
  }

  #read(key: Epoch): Map<string, AskId> {
    const rows = this.#db.all<{ id: AskId; toolUse: string }>(SELECT_TOOL_USES, [key.sessionId, key.epoch])
    const calls = new Map(rows.map(({ id, toolUse }) => [JSON.parse(toolUse) as string, id]))
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

function nameOf({ sessionId, epoch }: Epoch): string {
  return `${sessionId} ${epoch}`
}

const SELECT_TOOL_USES = `SELECT a.id, a.tool_use_id AS toolUse FROM asks a JOIN events e ON e.seq = a.raised_seq
  WHERE a.session_id = ? AND a.epoch = ? AND a.tool_use_id IS NOT NULL AND e.data ->> '$.ask.raisedBy' IS NULL
  ORDER BY a.raised_seq`
