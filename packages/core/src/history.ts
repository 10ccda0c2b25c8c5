import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, NodeId, RuleId, SessionId } from '@holdpoint/schema/id'
import type { Notified } from '@holdpoint/schema/notification'
import type { Actor, Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { AskRecord } from './store.ts'

/** Characters of an ask that a search finds: the beginning of what is longer. */
const TEXT_LIMIT = 4000

/** What is looked for among settled asks. All that is given has to fit. */
export interface HistorySearch {
  /** Each has to be somewhere in the ask's text. Upper and lower case are the same. */
  readonly words?: readonly string[]
  /** The tool's name. */
  readonly tool?: string
  /** The session's folder. */
  readonly project?: string
  /** The id of the device that answered. */
  readonly device?: string
  readonly outcome?: Outcome['kind']
  /** The id of a rule that decided, or that was made with the answer. */
  readonly rule?: string
  /** Settled then or later, in milliseconds. */
  readonly from?: number
  /** Settled before then. */
  readonly to?: number
  /** The machines of their sessions. An empty text stands for sessions that name none. */
  readonly nodes?: readonly (NodeId | '')[]
  /** Of these sessions alone: for a credential that sees no others. */
  readonly sessionIds?: readonly SessionId[]
}

export interface HistoryQuery extends HistorySearch {
  /** The `next` of the page before. */
  readonly before?: number
  readonly limit: number
  /** As for a thread: a page ends with the ask with which it has so many characters (F58). */
  readonly size?: number
}

/** A settled ask, with the place of its outcome in the log. */
export interface HistoryRecord extends AskRecord {
  readonly outcome: Outcome
  readonly seq: number
  /** Of that event, in the hash chain of its session. */
  readonly hash: string
}

export interface HistoryPage {
  readonly records: readonly HistoryRecord[]
  /** Pass as `before` for the page that follows; absent on the last one. */
  readonly next?: number
}

/** What a person can choose from: every value that is in the history. */
export interface HistoryChoices {
  readonly tools: readonly string[]
  readonly projects: readonly string[]
  readonly devices: readonly { readonly id: string; readonly name: string }[]
}

/** Who was shown an ask, and where it stands in the hash chain. */
export interface AskTrail {
  /** In the order they came. */
  readonly sightings: readonly { readonly by: Actor; readonly at: number }[]
  /** Each step of the notifications about it, in the order they came. */
  readonly notified: readonly Notified[]
  /** Its outcome's place in the whole log, and the hash of that event. */
  readonly settled?: { readonly seq: number; readonly hash: string }
  /** The newest event of the session: its number there, and its hash. */
  readonly head: { readonly sessionSeq: number; readonly hash: string }
}

/** One step of a notification, as its event tells it. */
export function notifiedOf(event: Extract<DurableEvent, { type: 'asks-notified' }>): Notified {
  const { to, step, at, reason } = event
  return { to, step, at, ...(reason !== undefined && { reason }) }
}

/**
 * What is compared with a filter. An index keeps all of it but the machine, which the session has, and is made again from the
 * log where it is of another version.
 */
export interface HistoryFacts {
  readonly at: number
  readonly tool: string
  readonly project: string
  readonly node: NodeId | ''
  readonly device: string
  readonly deviceName: string
  readonly outcome: Outcome['kind']
  readonly rules: readonly string[]
  /** In small letters. */
  readonly text: string
}

/** Goes up when the same ask has other facts. */
export const HISTORY_VERSION = 2

/** Where a session is, which never changes. */
export type SessionPlace = Pick<HistoryFacts, 'project' | 'node'>

/** Of a session that cannot be read, nothing is known. */
export function sessionPlace(session: Pick<Session, 'cwd' | 'node'> | undefined): SessionPlace {
  return { project: session?.cwd ?? '', node: session?.node ?? '' }
}

export function historyFacts({ ask, outcome }: { ask: Ask; outcome: Outcome }, place: SessionPlace): HistoryFacts {
  return {
    at: outcome.at,
    tool: ask.tool?.name ?? '',
    ...place,
    device: outcome.by?.device ?? '',
    deviceName: outcome.by?.name ?? '',
    outcome: outcome.kind,
    rules: rulesOf(outcome),
    text: searchedText(ask, outcome),
  }
}

/** The rules that decided an ask, and the one that was made with its answer. */
export function rulesOf({ rule, rules = [] }: Pick<Outcome, 'rule' | 'rules'>): readonly RuleId[] {
  return rule === undefined ? rules : [rule, ...rules]
}

/** Title, command, path, address, search, questions, what a form says, and the message of a denial. */
function searchedText({ title, context, questions, form }: Ask, { answer }: Outcome): string {
  const { command, filePath, url, query } = context
  const asked = questions?.map(({ question }) => question) ?? []
  const message = typeof answer?.message === 'string' ? answer.message : undefined
  let text = title
  // A title often has the command in it already.
  for (const part of [message, command, filePath, url, query, form?.message, ...asked]) {
    if (part !== undefined && !text.includes(part)) text += `\n${part}`
  }
  // SQLite's text ends at a NUL, and holds no half of a surrogate pair.
  return text
    .slice(0, TEXT_LIMIT)
    .replace(/[\0\p{Surrogate}]/gu, ' ')
    .toLowerCase()
}

/** The words of what a person has typed into a search field. */
export function searchWords(text: string): readonly string[] {
  return text
    .replace(/[\0\p{Surrogate}]/gu, ' ')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

export function fitsFilter(facts: HistoryFacts, filter: HistorySearch): boolean {
  const { words = [], from = 0, to = Number.POSITIVE_INFINITY } = filter
  const same = (['tool', 'project', 'device', 'outcome'] as const).every(
    (name) => filter[name] === undefined || filter[name] === facts[name],
  )
  const isOfRule = filter.rule === undefined || facts.rules.includes(filter.rule)
  const isThere = filter.nodes?.includes(facts.node) ?? true
  return (
    same && isOfRule && isThere && facts.at >= from && facts.at < to && words.every((word) => facts.text.includes(word))
  )
}

/** What is let through is counted from then, and until before then. */
export interface LetThroughQuery extends Pick<HistorySearch, 'sessionIds'> {
  readonly from: number
  readonly to: number
}

/** Calls that rules allowed without asking anybody. One that several rules allowed counts for each of them. */
export interface LetThroughCounts {
  readonly calls: number
  /** In no order. */
  readonly rules: readonly { readonly rule: string; readonly calls: number; readonly latest: AskId }[]
}

/** Whether a rule allowed an ask. A rule that was made with a person's answer did not: the answer has a device. */
export function isLetThrough({ outcome, device, rules }: HistoryFacts): boolean {
  return outcome === 'allowed' && device === '' && rules.length > 0
}

/** What a person decided of an approval. Nothing where a rule, an earlier yes, the clock or the agent ended it. */
export function personDecision({ kind, by, via }: Outcome): 'allowed' | 'denied' | undefined {
  if (!by || via === 'rule' || via === 'appeal') return undefined
  return kind === 'allowed' || kind === 'denied' ? kind : undefined
}
