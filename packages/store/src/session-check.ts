import type { ChainFault } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { FIRST_HASH, type LogRow, rowHash } from './log-row.ts'
import { archiveFile, isOfRetirement, type RetiredRow, saysRetired } from './retired-row.ts'
import { type SessionRow, sessionSum } from './session-row.ts'
import { createSessionTables, type KeptTables } from './session-tables.ts'

/** What decides whether an agent is alive, and what it may do without asking, and where. */
const DECIDING = [
  'state',
  'agent',
  'cwd',
  'epoch',
  'lifeEpoch',
  'parkedAt',
  'gate',
  'trusted',
  'permissionMode',
  'frozen',
  'embedded',
  'attached',
  'onTimeout',
  'askTimeoutMs',
  'timeLimits',
] as const satisfies readonly (keyof Session)[]

/**
 * How the event of a tool's output begins, with the item's id. Such events are most of a log's text, and nothing else in
 * them is compared: parsing them took a seventh of a check.
 */
const OUTPUT_ADDED =
  /^\{"type":"item-added","sessionId":"[^"\\]+","at":\d+,"item":\{"id":"([^"\\]+)","at":\d+,"type":"tool-result",/

/** One session's events, added one after the other, against what the tables say of it. */
export class SessionCheck {
  readonly #id: SessionId
  readonly #tables: ReturnType<typeof createSessionTables>
  #last: Pick<LogRow, 'seq' | 'sessionSeq' | 'hash'> = { seq: 0, sessionSeq: 0, hash: FIRST_HASH }
  #told: Partial<Session> = {}
  /** The events whose text is not there, and the first that has one. */
  #firstEmpty: LogRow | undefined
  #lastEmpty: LogRow | undefined
  #firstText: LogRow | undefined
  readonly #leavings: { readonly event: DurableEvent; readonly after: number }[] = []

  constructor(id: SessionId, keyOf?: (text: string) => string) {
    this.#id = id
    this.#tables = createSessionTables(keyOf)
  }

  /** The last event that was added. */
  get last(): Pick<LogRow, 'seq' | 'sessionSeq' | 'hash'> {
    return this.#last
  }

  /** The fault, if this is not the event that comes next. */
  add(row: LogRow): ChainFault | undefined {
    const problem = brokenLink(row, this.#id, this.#last)
    if (problem) return this.fault(problem, row)
    if (row.data === '') {
      this.#tables.addEmpty(row.seq)
      this.#firstEmpty ??= row
      this.#last = this.#lastEmpty = row
      return undefined
    }
    this.#firstText ??= row
    const output = OUTPUT_ADDED.exec(row.data)?.[1]
    if (output) this.#tables.addOutput(output, row.seq)
    else {
      const event = parsed<DurableEvent>(row.data)
      if (!event) return this.fault('it cannot be read', row)
      this.#tables.add(event, row.seq)
      this.#told = sessionAfter(this.#told, event)
      if (isOfRetirement(event)) {
        const fault = this.#addLeaving(event)
        if (fault) return this.fault(fault, row)
      }
    }
    this.#last = row
    return undefined
  }

  #addLeaving(event: DurableEvent): string | undefined {
    const { sessionSeq, hash } = this.#last
    this.#leavings.push({ event, after: sessionSeq })
    if (event.type !== 'session-retired') return undefined
    if (event.events > sessionSeq) return 'it says of events that come after it that they have left the log'
    return event.events === sessionSeq && event.head !== hash
      ? 'it names another head than the event before it'
      : undefined
  }

  /** What is empty has to be accounted for: by what is kept of it, and by an event that says so. */
  #unexplained(retired: RetiredRow | undefined): ChainFault | undefined {
    if (retired) {
      const isTold = this.#leavings.some(
        ({ event, after }) => saysRetired(event, retired) && (retired.kind === 'archived' || after === retired.events),
      )
      if (!isTold) return this.fault(`it is kept as ${retired.kind}, but none of its events says so`)
    }
    if (!this.#firstEmpty || !this.#lastEmpty) return undefined
    if (retired?.kind === 'deleted' && this.#lastEmpty.sessionSeq <= retired.events) return undefined
    const where =
      retired?.kind === 'archived'
        ? `in the log nor in ${archiveFile(retired.archive)}`
        : 'in the log nor in an archive'
    return this.fault(`what it says is neither ${where}`, this.#firstEmpty)
  }

  /** Once every event was added: the first place where the session's row or another table does not fit. */
  compare(
    session: SessionRow | undefined,
    tables: KeptTables,
    retired: RetiredRow | undefined,
  ): ChainFault | undefined {
    if (!session) return this.fault('the session has no record')
    const { sessionSeq, hash } = this.#last
    if (session.seq !== sessionSeq || session.hash !== hash) {
      return this.fault(`the log ends at number ${sessionSeq}, but the session was at ${session.seq}`)
    }
    const unexplained = this.#unexplained(retired)
    if (unexplained) return unexplained
    if (sessionSum(session) !== session.sum) return this.fault("the session's record does not match its checksum")
    const kept = parsed<Session>(session.data)
    if (!kept || !saysTheSame(kept, session, this.#told))
      return this.fault("the session's record does not match its events")
    if (tables.recent !== undefined && tables.recent !== this.#tables.recent())
      return this.fault("the session's list of its newest events does not match the log")
    // One that is being deleted has rows of what is gone, and has lost rows of what is not.
    if (retired?.kind === 'deleted' && !(retired.isDone && (this.#firstText?.sessionSeq ?? 0) > retired.events))
      return undefined
    const problem = this.#tables.difference(tables)
    return problem && this.fault(problem.problem, { seq: problem.seq, sessionSeq: 0 })
  }

  fault(problem: string, at: { readonly seq: number; readonly sessionSeq: number } = this.#last): ChainFault {
    return { sessionId: this.#id, seq: at.seq, sessionSeq: at.sessionSeq, problem }
  }
}

function saysTheSame(kept: Session, row: SessionRow, told: Partial<Session>): boolean {
  if (kept.id !== row.id || kept.state !== row.state) return false
  return DECIDING.every((key) => !(key in told) || JSON.stringify(told[key]) === JSON.stringify(kept[key]))
}

function parsed<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value
  } catch {
    return undefined
  }
}

function brokenLink(row: LogRow, id: SessionId, last: { sessionSeq: number; hash: string }): string | undefined {
  if (row.sessionId !== id) return 'it is not an event of this session'
  if (row.sessionSeq !== last.sessionSeq + 1) {
    return `number ${last.sessionSeq + 1} of the session should come here, not ${row.sessionSeq}`
  }
  if (row.prevHash !== last.hash) return 'its previous hash does not match the event before it'
  return row.data === '' || rowHash(row) === row.hash ? undefined : 'it does not match its hash'
}

function sessionAfter(told: Partial<Session>, event: DurableEvent): Partial<Session> {
  switch (event.type) {
    case 'session-started':
      return event.session
    case 'session-changed': {
      const { frozen, lifeEpoch, parkedAt, ...rest } = told
      const revived = event.changes.epoch !== undefined && event.changes.epoch !== told.epoch
      const anew = { ...rest, frozen: undefined, lifeEpoch: undefined, parkedAt: undefined }
      return { ...(revived ? anew : told), ...event.changes }
    }
    case 'session-ended':
      return { ...told, state: 'dead', parkedAt: undefined }
    case 'alarm':
      return { ...told, frozen: true }
    default:
      return told
  }
}
