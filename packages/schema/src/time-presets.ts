import type { Limit } from './time-limit.ts'

/** The limits that the documents of the dialects have, by the dialect's name. */
export const TIME_PRESETS = {
  'process-state': { afterMs: null, onTimeout: 'deny' },
  'ask-user': { afterMs: 55_000, onTimeout: 'interrupt' },
  permission: { afterMs: 300_000, onTimeout: 'deny' },
  'turn-stream': { afterMs: 600_000, onTimeout: 'deny' },
} as const satisfies Readonly<Record<string, Limit>>
