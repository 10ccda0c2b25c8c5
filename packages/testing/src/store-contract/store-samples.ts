import type { Append } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, DeviceId, ItemId, NodeId, RuleId, SessionId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import type { NoticeStep, NoticeTarget } from '@holdpoint/schema/notification'
import type { Actor, Outcome } from '@holdpoint/schema/outcome'
import type { Rule } from '@holdpoint/schema/rule'
import type { Session } from '@holdpoint/schema/session'
import type { Usage } from '@holdpoint/schema/usage'

const AT = 1_700_000_000_000

function sampleId(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(26, '0')}`
}
export const PHONE: NoticeTarget = { id: sampleId('dev', 1) as DeviceId, name: 'The phone' }
export const PERSON: Actor = { device: 'dev_1', name: 'phone', role: 'owner' }
export const sessionId = (n: number) => sampleId('ses', n) as SessionId
export const askId = (n: number) => sampleId('ask', n) as AskId
export const itemId = (n: number) => sampleId('itm', n) as ItemId
export const deviceId = (n: number) => sampleId('dev', n) as DeviceId
export const ruleId = (n: number) => sampleId('rul', n) as RuleId
export const nodeId = (n: number) => sampleId('nod', n) as NodeId

export function sampleSession(n: number, changes: Partial<Session> = {}): Session {
  return {
    id: sessionId(n),
    agent: 'claude',
    projectId: 'project',
    cwd: '/project',
    title: `Session ${n}`,
    state: 'assistant_turn',
    permissionMode: 'default',
    gate: 'default',
    startedAt: AT,
    stateChangedAt: AT,
    epoch: 1,
    openAsks: 0,
    queuedMessages: 0,
    onTimeout: 'deny',
    timeLimits: [{ kind: 'question', afterMs: 55_000, onTimeout: 'interrupt' }],
    trusted: false,
    ...changes,
  }
}

export function sampleAsk(n: number, changes: Partial<Ask> = {}): Ask {
  return {
    id: askId(n),
    sessionId: sessionId(1),
    requestId: `request-${n}`,
    kind: 'approval',
    toolUseId: `toolu_${n}`,
    tool: { name: 'Bash', input: { command: 'ls' } },
    title: 'Run a command',
    context: { cwd: '/project', command: 'ls' },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: false },
    agent: 'claude',
    epoch: 1,
    digest: 'd'.repeat(64),
    raisedAt: AT,
    ...changes,
  }
}

export const SAMPLE_OUTCOME: Outcome = {
  kind: 'allowed',
  at: AT,
  by: PERSON,
  via: 'web',
  answer: { kind: 'allow' },
}

export function sampleMessage(n: number, changes: Partial<MessageItem> = {}): MessageItem {
  return { id: itemId(n), at: AT, type: 'message', role: 'user', text: `message ${n}`, ...changes }
}

export function sampleRule(n: number): Rule {
  return {
    id: ruleId(n),
    scope: 'session',
    sessionId: sessionId(1),
    tool: 'Bash',
    key: `key ${n}`,
    rule: 'Bash(ls)',
    askId: askId(1),
    at: AT,
  }
}

/** Events of session `n`. */
export function eventsOf(n: number, at = AT) {
  const base = { sessionId: sessionId(n), at }
  return {
    started: (session: Session = sampleSession(n)): DurableEvent => ({ type: 'session-started', ...base, session }),
    raised: (ask: Ask): DurableEvent => ({ type: 'ask-raised', ...base, ask: { ...ask, sessionId: sessionId(n) } }),
    settled: (ask: number, outcome = SAMPLE_OUTCOME): DurableEvent => ({
      type: 'ask-settled',
      ...base,
      askId: askId(ask),
      outcome,
    }),
    notified: (asks: readonly number[], step: NoticeStep): DurableEvent => ({
      type: 'asks-notified',
      ...base,
      askIds: asks.map(askId),
      to: PHONE,
      step,
    }),
    seen: (ask: number, device: string): DurableEvent => ({
      type: 'ask-seen',
      ...base,
      askId: askId(ask),
      by: { device, name: `The ${device}`, role: 'owner' },
    }),
    ended: (): DurableEvent => ({ type: 'session-ended', ...base, reason: 'ended by a person' }),
    used: (used: Usage, cwd = '/project'): DurableEvent => ({
      type: 'usage-reported',
      ...base,
      cwd,
      used,
      reported: used,
    }),
    delivered: (ask: number): DurableEvent => ({ type: 'ask-delivered', ...base, askId: askId(ask) }),
    added: (item: Item): DurableEvent => ({ type: 'item-added', ...base, item }),
    changed: (item: number, status: 'sent' | 'cancelled'): DurableEvent => ({
      type: 'item-changed',
      ...base,
      itemId: itemId(item),
      changes: { status },
    }),
    ruleAdded: (rule: Rule): DurableEvent => ({ type: 'rule-added', ...base, rule }),
    ruleRemoved: (rule: number): DurableEvent => ({ type: 'rule-removed', ...base, ruleId: ruleId(rule) }),
  }
}

export interface SampleAppend {
  readonly n?: number
  readonly after: number
  readonly events: readonly DurableEvent[]
  readonly session?: Partial<Session>
  readonly checkpoint?: number
}

export function sampleAppend({ n = 1, after, events, session, checkpoint }: SampleAppend): Append {
  return {
    sessionId: sessionId(n),
    expectedSeq: after,
    events,
    session: sampleSession(n, session),
    ...(checkpoint !== undefined && { checkpoint }),
  }
}
