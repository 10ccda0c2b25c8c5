import { CommitInDoubt, RecordDamaged, StoreFault } from '@holdpoint/core/store'
import type { ErrorCode, ErrorReason } from '@holdpoint/schema/error-code'
import type { Pieces } from './send-pieces.ts'
import type { TextSink } from './text-sink.ts'

/** The HTTP status of each code. */
export const STATUS = {
  malformed_json: 400,
  bad_request: 400,
  invalid_code: 401,
  unauthorized: 401,
  forbidden: 403,
  foreign_origin: 403,
  other_user: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  already_settled: 409,
  digest_mismatch: 409,
  changed: 409,
  session_frozen: 409,
  machine_unreachable: 503,
  session_ended: 409,
  session_alive: 409,
  session_deleted: 409,
  record_damaged: 409,
  not_queued: 409,
  not_idle: 409,
  wrong_epoch: 409,
  duplicate_request: 409,
  busy: 409,
  dialog_open: 409,
  not_at_rest: 409,
  ask_just_came: 409,
  too_large: 413,
  wrong_content_type: 415,
  wrong_host: 421,
  shared_name: 421,
  invalid_answer: 422,
  invalid_request: 422,
  unknown_folder: 422,
  unknown_agent: 422,
  unknown_attachment: 422,
  not_supported: 422,
  agent_refused: 422,
  retry_mismatch: 422,
  too_many_open: 429,
  too_fast: 429,
  too_much_open: 429,
  too_many_queued: 429,
  too_many_rules: 429,
  too_many_attempts: 429,
  too_many_connections: 429,
  headers_too_large: 431,
  internal: 500,
  store_unavailable: 503,
  too_much_unread: 503,
  too_much_sent: 503,
  closing: 503,
} as const satisfies Record<ErrorCode, number>

const MESSAGE: Record<ErrorCode, string> = {
  malformed_json: 'The body is not valid JSON.',
  bad_request: 'The request is not valid.',
  invalid_code:
    'This code is not valid. It was already used, it is older than five minutes, or it was mistyped. Get a new code.',
  unauthorized: 'Unknown or missing credential. Log in, or send "Authorization: Bearer …".',
  forbidden: 'This credential is not allowed to do that.',
  foreign_origin: 'Requests from other origins are refused.',
  other_user:
    'This connection comes from another user of this machine. Over plain HTTP the gateway serves only programs of its own user and of root. To serve other users, start it with --tls-cert and --tls-key.',
  not_found: 'Not found, or this credential is not allowed to see it.',
  method_not_allowed: 'This address does not support that method.',
  too_slow: 'The request took too long to arrive.',
  already_settled: 'This ask already has an outcome. Only the first answer counts.',
  digest_mismatch: 'The digest does not match this ask. Read the ask again and send its current digest.',
  changed: 'Something that this ask showed has changed. Look at it again before you answer.',
  machine_unreachable:
    'The machine of this session cannot be reached, and only it can do this. Nothing was changed. Try again when it is back.',
  session_frozen: 'The session is frozen after an alarm. Nothing can be allowed in it any more. End the session.',
  session_ended: 'The session has ended. Resume it to continue.',
  session_alive: 'The session is still running. End it first.',
  session_deleted: 'What was said in the session was deleted, so it cannot be resumed.',
  record_damaged:
    'The stored record was changed or damaged after it was written. It cannot be shown or continued, and trying again does not help. To see where it is damaged, stop the gateway and run "holdpoint verify".',
  not_queued: 'That message is no longer in the queue.',
  not_idle: 'Only a session that is idle or has ended can be archived.',
  wrong_epoch: 'This request is for an earlier process of the agent, not for the one that runs now.',
  duplicate_request: 'An ask with different content already has this request id.',
  busy: 'Someone else is typing in this terminal. Wait until they stop.',
  dialog_open:
    'A question is open in this terminal. Nothing was typed. While exactly one ask is open, send y, n or the number of an option. Or answer the ask itself.',
  not_at_rest:
    'Nothing was typed, because a key could answer a question that appears at the same moment. Claude Code is working in this terminal, its prompt is not in front, or the input has more than one line. Send one line when Claude Code is idle, or use the live view of the terminal.',
  ask_just_came: 'This ask has only just appeared. Nothing was answered. Read the ask, then send your answer again.',
  too_large: 'The request is larger than the limit.',
  wrong_content_type: 'This content type is not accepted here. Send JSON with "Content-Type: application/json".',
  wrong_host: 'This gateway does not serve this host name.',
  shared_name:
    'Pages cannot log in under this name, because another program on this machine could answer to it. Open the gateway by its address, for example http://127.0.0.1:4680. A proxy in front of the gateway must send its own name as Host.',
  invalid_answer: 'This answer does not fit the ask.',
  invalid_request: 'Some fields are not valid.',
  unknown_folder: 'This path does not exist, or it is not a folder.',
  unknown_agent: 'There is no agent with this name.',
  unknown_attachment: 'There is no attachment with this id.',
  not_supported: 'This agent does not support that.',
  agent_refused: 'The agent refused.',
  retry_mismatch: 'This Idempotency-Key was already used for a different request.',
  too_many_open: 'The session has too many open asks. Answer some of them first.',
  too_fast: 'Asks come too fast, or have too many characters. Wait a moment.',
  too_much_open: 'The open asks are too large together, in this session or in all sessions. Answer some of them first.',
  too_many_queued: 'Too many messages are already queued for this agent.',
  too_many_rules: 'There are too many rules already. Remove some first.',
  too_many_attempts: 'Too many failed attempts. Wait a minute.',
  too_many_connections: 'This credential has too many open connections.',
  headers_too_large: 'The request headers are larger than the limit.',
  internal: 'Internal error. The log of the gateway has the details.',
  store_unavailable: 'The record cannot be read or written at the moment. Try again.',
  too_much_unread:
    'Too much data was sent earlier and not read yet, by this credential or by all clients together. Read it or wait a moment, then try again.',
  too_much_sent:
    'Too much data of other requests is still being received or handled, of this credential or of all clients together. Wait a moment, then try again.',
  closing: 'The gateway is shutting down. Try again in a moment.',
}

/** What stands beside the code. A message given here replaces the usual one. */
export interface ErrorDetails {
  readonly message?: string
  readonly reason?: ErrorReason
  readonly [detail: string]: unknown
}

export interface ErrorBody {
  readonly error: ErrorDetails & { readonly code: ErrorCode; readonly message: string }
}

export interface Reply {
  readonly status: number
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Instead of a body: bytes that are read while they are sent, once there is room for them (F58). */
  readonly file?: Pieces
  /** Instead of a body: writes the reply piece by piece, until the sink is ended or the call's signal aborts. */
  readonly stream?: (out: TextSink) => Promise<void> | void
}

export type Refusal = Reply & { readonly body: ErrorBody }

export function isRefusal(reply: Reply): reply is Refusal {
  return reply.status >= 400 && typeof reply.body === 'object' && reply.body !== null && 'error' in reply.body
}

/** A call that only reads gets no sentence about writing. */
export function readRefusal(error: unknown): Refusal {
  if (error instanceof RecordDamaged) return refusal('record_damaged')
  return refusal('store_unavailable', { message: isTakenOver(error) ? TAKEN_OVER : UNREADABLE })
}

/** The reply says that the change was not recorded only where that is known: not after a commit in doubt (F57). */
export function storeRefusal(error: unknown): Refusal {
  if (error instanceof RecordDamaged) return refusal('record_damaged')
  if (error instanceof CommitInDoubt) return refusal('store_unavailable', { message: IN_DOUBT, recorded: 'unknown' })
  return refusal('store_unavailable', { message: isTakenOver(error) ? TAKEN_OVER : notRecorded(error), recorded: 'no' })
}

function isTakenOver(error: unknown): boolean {
  return error instanceof StoreFault && error.code === 'locked'
}

function notRecorded(error: unknown): string {
  const code = error instanceof StoreFault ? error.code : undefined
  if (code === 'full') return 'The disk of the record is full. This was not recorded. Free some space, then try again.'
  if (code === 'busy') return 'The record is too busy at the moment. This was not recorded. Try again.'
  return NOT_RECORDED
}

const TAKEN_OVER =
  'Another Holdpoint process has taken over the data folder of this one. This one does nothing more: stop it and use the other one.'
const UNREADABLE = 'The record cannot be read at the moment. Try again. The log of the gateway has the details.'
const NOT_RECORDED =
  'The record cannot be written at the moment: its disk or its database does not work. This was not recorded. Try again. The log of the gateway has the details.'
const IN_DOUBT =
  'The write failed at its last step, so this may have been recorded or not. Try again in a moment: the reply then says what was recorded.'

export function refusal(code: ErrorCode, details: ErrorDetails = {}): Refusal {
  return { status: STATUS[code], body: { error: { code, message: MESSAGE[code], ...details } } }
}
