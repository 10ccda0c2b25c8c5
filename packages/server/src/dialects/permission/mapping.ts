import { type PermissionReply, type PermissionRequest, permissionRequestOf } from '@holdpoint/core/permission-request'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { Outcome, WithdrawReason } from '@holdpoint/schema/outcome'
import type { Refusal } from '../../transport/errors.ts'
import type { Failure, PermissionAsked, PermissionReplied, ReplyBody, ReplyReason, ReplySuccess } from './messages.ts'

/** What outcomes record as the place an answer came from. */
export const VIA = 'permission'

/**
 * A client of the permission protocol has nothing but the description to show of a tool it does not know: it is never empty.
 */
export function requestOf(ask: Ask): PermissionRequest {
  const request = permissionRequestOf(ask)
  return { ...request, metadata: { description: ask.title, ...request.metadata } }
}

export function askedEvent(ask: Ask): PermissionAsked {
  return { type: 'permission.asked', properties: { request: requestOf(ask) } }
}

export function repliedEvent({ id, sessionId }: Pick<Ask, 'id' | 'sessionId'>, outcome: Outcome): PermissionReplied {
  return { type: 'permission.replied', properties: { sessionId, requestId: id, ...howItEnded(outcome) } }
}

export function howItEnded(outcome: Outcome): { readonly reply: PermissionReply; readonly reason?: ReplyReason } {
  const reason = reasonOf(outcome)
  return { reply: replyOf(outcome), ...(reason && { reason }) }
}

function replyOf({ kind, answer, rule }: Outcome): PermissionReply {
  if (kind !== 'allowed') return 'deny'
  return answer?.remember !== undefined && rule !== undefined ? 'always' : 'allow'
}

const WITHDRAWN: Record<WithdrawReason, ReplyReason> = {
  interrupted: 'aborted',
  'session-ended': 'aborted',
  'agent-cancelled': 'cancelled',
  orphaned: 'orphaned',
  'answered-elsewhere': 'answered-elsewhere',
  changed: 'changed',
}

function reasonOf({ kind, via, reason }: Outcome): ReplyReason | undefined {
  if (kind === 'expired') return 'timeout'
  if (kind === 'withdrawn') return WITHDRAWN[reason as WithdrawReason] ?? 'aborted'
  if (via === 'rule') return 'rule'
  return via === VIA ? undefined : 'answered-elsewhere'
}

/** A plan is approved once: there is nothing in it that could come again. */
export function answerOf(ask: Pick<Ask, 'kind'>, { reply, message }: ReplyBody): Answer {
  if (reply === 'deny') return { kind: 'deny', ...(message && { message }) }
  return { kind: 'allow', ...(reply === 'always' && ask.kind !== 'plan' && { remember: { scope: 'session' } }) }
}

export function successOf({ reply }: Pick<ReplyBody, 'reply'>, outcome: Outcome): ReplySuccess {
  if (reply !== 'always') return { success: true }
  if (outcome.rule !== undefined) return { success: true, remembered: true }
  return { success: true, remembered: false, reason: outcome.notRemembered ?? 'a plan cannot be remembered' }
}

/** The permission protocol's own words, where it has some. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  not_found: 'Request not found',
  already_settled: 'Request expired or not found',
}

export function failureOf({ body: { error } }: Refusal): Failure {
  const issues = Array.isArray(error.issues) ? error.issues.join('; ') : ''
  return { success: false, error: WORDS[error.code] ?? (issues || error.message) }
}
