import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { AgentDriver, RanTool } from './driver.ts'
import { isYes } from './is-yes.ts'

export type Alarm = Omit<Extract<DurableEvent, { type: 'alarm' }>, 'sessionId' | 'at' | 'type'>

/**
 * Compares what ran with what was allowed. The agent's own gate is a moving part: an input rewritten after the person
 * saw it, or a denied call that ran all the same, must not go unnoticed.
 */
export function judge(
  session: Session,
  record: { ask: Ask; outcome?: Outcome } | undefined,
  ran: RanTool,
  driver: Pick<AgentDriver, 'watchedInput'>,
  /** Why what it did to a file is not what was shown, if it is not. */
  wrong?: string,
): Alarm | undefined {
  if (!record) {
    if (session.gate !== 'everything') return undefined
    const message = `${ran.name} ran without an ask, although every call must ask in this session`
    return { code: 'ran-unasked', message, toolUseId: ran.toolUseId, ran: ran.input }
  }
  const { ask, outcome } = record
  const facts = { toolUseId: ran.toolUseId, askId: ask.id, ran: ran.input }
  if (!outcome || !isYes(outcome)) {
    const how = outcome ? `the ask was ${outcome.kind}` : 'the ask was still open'
    return { code: 'ran-after-deny', message: `${ran.name} ran although ${how}`, ...facts }
  }
  // What is no approval comes back with the person's answer worked into it: how, and whether it runs, the driver knows.
  const isApproval = ask.kind === 'approval'
  const allowed = isApproval ? (outcome.answer?.updatedInput ?? ask.tool?.input) : driver.watchedInput?.(ask, outcome)
  if (!isApproval && allowed === undefined) return undefined
  if (ran.name === ask.tool?.name && canonicalJson(ran.input) === canonicalJson(allowed)) {
    return wrong === undefined ? undefined : { code: 'ran-changed', message: wrong, allowed, ...facts }
  }
  return {
    code: 'ran-changed',
    message: `${ran.name} ran with a different input than the allowed one`,
    allowed,
    ...facts,
  }
}
