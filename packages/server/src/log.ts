/** One JSON object a line, for machines and for people with `jq`. */
export interface Log {
  debug(message: string, details?: Record<string, unknown>): void
  info(message: string, details?: Record<string, unknown>): void
  warn(message: string, details?: Record<string, unknown>): void
  error(message: string, details?: Record<string, unknown>): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields that may hold a credential, wherever they turn up. */
const SECRET_FIELD = /token|cookie|authorization|secret|password|code$|api.?key/i
/** Secrets by their shape, for text that was not written by us. */
const SECRET_SHAPE =
  /\b(?:sk-[A-Za-z0-9_-]{8,}|gh[opsu]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|xox[abp]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+)|(?<=#login=|[?&]ticket=)[A-Za-z0-9_-]+|(?<=Bearer )\S+/g

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

export function createLog(options: { level: LogLevel; write: (line: string) => void; now: () => number }): Log {
  const log =
    (level: LogLevel) =>
    (message: string, details: Record<string, unknown> = {}) => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(options.level)) return
      const entry = {
        at: new Date(options.now()).toISOString(),
        level,
        message: redactText(message),
        ...redact(details),
      }
      options.write(`${JSON.stringify(entry).replace(UNSEEN, escapeUnits)}\n`)
    }
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
}

function redact(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, SECRET_FIELD.test(key) ? '[redacted]' : redactValue(value)]),
  )
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (value instanceof Error) return redactText(value.message)
  return typeof value === 'object' && value !== null ? redact(value as Record<string, unknown>) : value
}

export function redactText(text: string): string {
  return text.replace(SECRET_SHAPE, '[redacted]')
}
