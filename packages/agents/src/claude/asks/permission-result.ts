import type { ElicitationResult, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import type { AskKind, AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { OnTimeout } from '@holdpoint/schema/time-limit'
import { modeAfterPlan, modeUpdates } from './mode-after-plan.ts'

/** What Claude Code is told. Anything but a recorded yes is a no; `approvedInput` is asked for a yes alone. */
export function permissionResult(
  request: AskRequest,
  outcome: Outcome,
  onTimeout: OnTimeout,
  approvedInput: () => ToolInput,
): PermissionResult {
  const answer = outcome.answer ?? {}
  switch (outcome.kind) {
    case 'allowed':
    case 'answered': {
      const mode = modeAfterPlan(request, outcome)
      const updates = mode !== undefined && { updatedPermissions: modeUpdates(mode) }
      return { behavior: 'allow', updatedInput: approvedInput(), ...updates }
    }
    case 'denied':
      if (outcome.via === 'rule') return deny(ruleDenial(outcome))
      return deny(denialText(request.kind, answer), answer.interrupt === true)
    case 'expired':
      return deny('Nobody answered in time. This is not a refusal: nobody was there.', onTimeout === 'interrupt')
    case 'withdrawn':
      return deny('This ask was withdrawn before anybody answered it.', true)
    default:
      return outcome.kind satisfies never
  }
}

export function elicitationResult(outcome: Outcome): ElicitationResult {
  if (outcome.kind === 'answered')
    return { action: 'accept', content: (outcome.answer?.content ?? {}) as ElicitationContent }
  return { action: outcome.kind === 'denied' && outcome.answer?.kind === 'decline' ? 'decline' : 'cancel' }
}
type ElicitationContent = NonNullable<ElicitationResult['content']>

/** What the agent is told of a call that a rule denies. */
export function ruleDenial({ reason = '' }: Pick<Outcome, 'reason'>): string {
  return `A rule of the user does not allow this: ${reason}`
}

const DENIALS: Record<AskKind, string> = {
  approval: 'The user denied this.',
  plan: 'The user denied this.',
  question: 'The user chose not to answer this.',
  form: 'The user chose not to answer this.',
}

function denialText(kind: AskKind, { message }: Readonly<Record<string, unknown>>): string {
  return typeof message === 'string' && message !== '' ? message : DENIALS[kind]
}

export function deny(message: string, interrupt = false): PermissionResult {
  return { behavior: 'deny', message, ...(interrupt && { interrupt }) }
}
