import { RecordDamaged, StoreFault } from '@holdpoint/core/store'
import type { TextSink } from './text-sink.ts'

/** Codes meet statuses here and nowhere else. */
export const STATUS = {
  malformed_json: 400,
  bad_request: 400,
  invalid_code: 401,
  unauthorized: 401,
  forbidden: 403,
  foreign_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_slow: 408,
  already_settled: 409,
  digest_mismatch: 409,
  changed: 409,
  session_frozen: 409,
  session_ended: 409,
  session_alive: 409,
  record_damaged: 409,
  not_queued: 409,
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
  too_many_attempts: 429,
  too_many_connections: 429,
  headers_too_large: 431,
  internal: 500,
  store_unavailable: 503,
  too_much_unread: 503,
  closing: 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof STATUS

const MESSAGE: Record<ErrorCode, string> = {
  malformed_json: 'The body is not JSON that can be taken.',
  bad_request: 'The request cannot be read.',
  invalid_code:
    'This code is not valid: it was used already, it is older than five minutes, or it was mistyped. Get a new one.',
  unauthorized: 'A credential is needed, and none that is known came along: log in, or send "Authorization: Bearer …".',
  forbidden: 'This credential may not do that.',
  foreign_origin: 'Requests from other sites are refused.',
  not_found: 'There is nothing here, or it is not yours to see.',
  method_not_allowed: 'This address does not take that method.',
  too_slow: 'The request took too long to arrive.',
  already_settled: 'Somebody or something was first: this ask has its outcome.',
  digest_mismatch: 'The answer is not for what this ask shows: read it again and send its digest.',
  changed: 'What the ask showed has changed since: look again.',
  session_frozen: 'The session is frozen after an alarm: nothing in it is allowed any more. End it.',
  session_ended: 'The session has ended. Resume it to go on.',
  session_alive: 'The session is running: there is nothing to resume.',
  record_damaged:
    'The record of this was changed or damaged since it was written. It can be neither shown nor gone on with, and trying again does not help. "holdpoint verify", with the gateway stopped, says where.',
  not_queued: 'That message is not waiting any more.',
  wrong_epoch: 'The agent process that this is about is not the one that runs now.',
  duplicate_request: 'Another ask with other content already has this request id.',
  busy: 'Somebody else is typing in this terminal just now. Wait until they have stopped.',
  dialog_open:
    'Something is asked in this terminal. Nothing was typed. Answer with y, n or the number of an option while one ask is open, or answer the ask itself.',
  not_at_rest:
    'Claude Code has this terminal and is at work, or its prompt is not in front, or this is more than one line: a key could answer something that it is about to ask. Nothing was typed. Send one line when it rests, or use the live view of the terminal.',
  ask_just_came: 'This ask has only just come: look at it, then send it again. Nothing was answered.',
  too_large: 'That is more than is taken at once.',
  wrong_content_type: 'The body must be sent as application/json.',
  wrong_host: 'This address is not served here.',
  shared_name:
    'No page logs in under this name, because another program on this machine could answer to it. Open the gateway by its address, as in http://127.0.0.1:4680.',
  invalid_answer: 'This answer does not fit the ask.',
  invalid_request: 'Some fields are not as they should be.',
  unknown_folder: 'That folder does not exist, or it is not a folder.',
  unknown_agent: 'There is no such agent.',
  unknown_attachment: 'There is no such attachment.',
  not_supported: 'This agent cannot do that.',
  agent_refused: 'The agent refused.',
  retry_mismatch: 'This idempotency key was used for something else.',
  too_many_open: 'The session has too many open asks.',
  too_fast: 'The session asks faster than anybody can answer. Wait a moment.',
  too_much_open: 'Too much waits for an answer already, in this session or in all: answer some of it first.',
  too_many_queued: 'Too many messages wait for this agent already.',
  too_many_attempts: 'Too many failed attempts. Wait a minute.',
  too_many_connections: 'This credential has too many open connections.',
  headers_too_large: 'The headers are more than is taken at once.',
  internal: 'Something went wrong here. The log has the details.',
  store_unavailable: 'The record cannot be written just now (is the disk full?). Nothing was changed: try again.',
  too_much_unread:
    'Too much that was sent before has not been taken, by this credential or by all. Take it, or wait a moment, then call again.',
  closing: 'The gateway is going down. Try again in a moment.',
}

export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly [detail: string]: unknown }
}

export interface Reply {
  readonly status: number
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Instead of a body: writes the reply bit by bit, until the sink is ended or the call's signal aborts. */
  readonly stream?: (out: TextSink) => Promise<void> | void
}

export type Refusal = Reply & { readonly body: ErrorBody }

export function isRefusal(reply: Reply): reply is Refusal {
  return reply.status >= 400 && typeof reply.body === 'object' && reply.body !== null && 'error' in reply.body
}

/** Who only reads is told nothing of writing. */
export function readRefusal(error: unknown): Refusal {
  if (error instanceof RecordDamaged) return refusal('record_damaged')
  return refusal('store_unavailable', { message: isTakenOver(error) ? TAKEN_OVER : UNREADABLE })
}

/** Nobody is told that nothing was changed unless that is known (F57). */
export function storeRefusal(error: unknown): Refusal {
  if (error instanceof RecordDamaged) return refusal('record_damaged')
  if (!(error instanceof StoreFault) || !error.inDoubt)
    return refusal('store_unavailable', { ...(isTakenOver(error) && { message: TAKEN_OVER }), recorded: 'no' })
  return refusal('store_unavailable', { message: IN_DOUBT, recorded: 'unknown' })
}

function isTakenOver(error: unknown): boolean {
  return error instanceof StoreFault && error.code === 'locked'
}

const TAKEN_OVER =
  'Another Holdpoint has taken over the data folder of this one, which does nothing more. Use the other, and stop this one.'
const UNREADABLE = 'The record cannot be read just now. Try again; the log has the details.'
const IN_DOUBT =
  'The record could not be written for sure (is the disk full?). It is not known yet whether this counts: look again in a moment, or try again, and you are told what was recorded.'

export function refusal(code: ErrorCode, details: Record<string, unknown> = {}): Refusal {
  return { status: STATUS[code], body: { error: { code, message: MESSAGE[code], ...details } } }
}
