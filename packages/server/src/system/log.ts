import { maskSecrets } from '@holdpoint/core/text/secrets'
import { LOG_EVENTS, type LogEvent, type LogFunction } from '@holdpoint/schema/log-event'

export interface Log {
  readonly debug: LogFunction
  readonly info: LogFunction
  readonly warn: LogFunction
  readonly error: LogFunction
}

/** `json`: one object a line, for programs. `text`: one sentence a line, for people. */
export const LOG_FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields that may hold a credential, wherever they turn up. */
const SECRET_FIELD = /token|cookie|authorization|secret|password|code$|api.?key/i
/**
 * Controls, marks that turn the direction, and whatever else takes no place of its own or ends a line somewhere. JSON lets
 * them through; a terminal that shows the log obeys them (T45). Escaped they mean the same to whoever parses the line.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu

const escapeUnits = (character: string) =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

export function createLog(options: {
  readonly level: LogLevel
  readonly format?: LogFormat
  readonly write: (line: string) => void
  readonly now: () => number
}): Log {
  const asLine = options.format === 'text' ? sentence : jsonLine
  const log =
    (level: LogLevel): LogFunction =>
    (event, details = {}) => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(options.level)) return
      const line = asLine({ at: new Date(options.now()).toISOString(), level, event, details: redact(details) })
      options.write(`${line.replace(UNSEEN, escapeUnits)}\n`)
    }
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}

interface Entry {
  readonly at: string
  readonly level: LogLevel
  readonly event: LogEvent
  readonly details: Record<string, unknown>
}

function jsonLine({ at, level, event, details }: Entry): string {
  return JSON.stringify({ at, level, event, message: LOG_EVENTS[event], ...details })
}

/** The time of day in UTC, as in the JSON; the date is known at a terminal. */
function sentence({ at, level, event, details }: Entry): string {
  const facts = Object.entries(details).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const behind = facts.length > 0 ? ` (${facts.join(', ')})` : ''
  return `${at.slice(11, 19)} ${level}: ${LOG_EVENTS[event]}${behind}`
}

function redact(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, SECRET_FIELD.test(key) ? '[redacted]' : redactValue(value)]),
  )
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (value instanceof Error) return maskSecrets(value.message)
  return typeof value === 'object' && value !== null ? redact(value as Record<string, unknown>) : value
}
