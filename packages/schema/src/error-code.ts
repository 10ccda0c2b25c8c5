/** `error.code` of the native API: why the gateway refused a call or a frame. It sends no code that is not listed here. */
export const ERROR_CODES = [
  'malformed_json',
  'bad_request',
  'invalid_code',
  'unauthorized',
  'forbidden',
  'foreign_origin',
  'other_user',
  'not_found',
  'method_not_allowed',
  'too_slow',
  'already_settled',
  'digest_mismatch',
  'changed',
  'session_frozen',
  'session_ended',
  'session_alive',
  'session_deleted',
  'record_damaged',
  'not_queued',
  'not_idle',
  'wrong_epoch',
  'duplicate_request',
  'busy',
  'dialog_open',
  'not_at_rest',
  'ask_just_came',
  'too_large',
  'wrong_content_type',
  'wrong_host',
  'shared_name',
  'invalid_answer',
  'invalid_request',
  'unknown_folder',
  'unknown_agent',
  'unknown_attachment',
  'not_supported',
  'agent_refused',
  'machine_unreachable',
  'retry_mismatch',
  'too_many_open',
  'too_fast',
  'too_much_open',
  'too_many_queued',
  'too_many_rules',
  'too_many_attempts',
  'too_many_connections',
  'headers_too_large',
  'internal',
  'store_unavailable',
  'too_much_unread',
  'too_much_sent',
  'closing',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** `error.reason` beside some codes: which case of it this is. */
export const ERROR_REASONS = {
  malformed_json: [
    'malformed',
    'too_deep',
    'duplicate_key',
    'forbidden_key',
    'lone_surrogate',
    'inexact_number',
    'invalid_utf8',
    'binary',
  ],
  /** Why the conversation of Claude Code in a terminal was not looked for. */
  agent_refused: ['no_prompt', 'dialog', 'working', 'written', 'changing', 'unsent', 'searching', 'ended'],
} as const satisfies Partial<Record<ErrorCode, readonly string[]>>
export type ErrorReason<Code extends keyof typeof ERROR_REASONS = keyof typeof ERROR_REASONS> =
  (typeof ERROR_REASONS)[Code][number]

/**
 * A code as this version spells it. Older gateways wrote some with hyphens; those are read for one version and then this
 * function goes.
 */
export function normalCode(code: string): string {
  return code
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}
