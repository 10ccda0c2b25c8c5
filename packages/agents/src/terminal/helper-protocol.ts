import type { NotTyped } from './not-typed.ts'

/**
 * What a terminal's helper and the gateway say to each other, as JSON lines through the host. The helper outlives
 * gateways, and so may be older or newer than the one it talks to: unknown types and fields are passed over.
 */
export type HelperCommand =
  /**
   * Somebody looks: answered by `screen` with the same `ref`, and by `output` from there on. A `stream` is one gateway's:
   * what an earlier one was still being sent is told apart by it.
   */
  | { type: 'view'; stream: string; ref: string; scrollback: number }
  /** Nobody looks any more. */
  | { type: 'leave'; stream: string }
  /** So many characters of output have been taken: as many more may come. */
  | { type: 'credit'; stream: string; characters: number }
  | { type: 'input'; data: string }
  /**
   * Types only if these lines stand on the screen, one below the other, at the moment of typing, and only before that time
   * of day: a helper that was held up types nothing that nobody counts on any more. Answered by `typed`.
   */
  | { type: 'type-if'; ref: string; data: string; lines: readonly string[]; before?: number }
  /** Types only where it cannot answer what an agent asks, or is about to ask (`TypingGuard`). Answered by `typed`. */
  | { type: 'type-if-free'; ref: string; data: string }
  | { type: 'resize'; cols: number; rows: number }
  /** Whether `text` is to be told whenever the screen changes. */
  | { type: 'watch'; on: boolean }

export type HelperEvent =
  | { type: 'started'; pid: number }
  /** Also without a `view`, with an empty `ref`: output was left out, and this is how it stands now. */
  | { type: 'screen'; stream: string; ref: string; data: string; cols: number; rows: number }
  | { type: 'output'; stream: string; data: string }
  | { type: 'resized'; cols: number; rows: number }
  | { type: 'text'; lines: readonly string[] }
  /** `why` not, where it was not typed. */
  | { type: 'typed'; ref: string; typed: boolean; why?: NotTyped }
  /** Right before `exit`: how the screen stood, for whoever did not have it by then. */
  | { type: 'last-screen'; data: string; cols: number; rows: number }
  | { type: 'exit'; code: number }

/** Characters of output that may be on their way before the first is taken. */
export const OUTPUT_WINDOW = 128 * 1024
/** Characters of a last screen: it is kept with its session. */
export const LAST_SCREEN_CHARACTERS = 64 * 1024
export const SIZE_LIMITS = { minCols: 2, maxCols: 500, minRows: 1, maxRows: 300 } as const

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown) => typeof value === 'string'
const count = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const texts = (value: unknown) => Array.isArray(value) && value.every(text)
const size = ({ cols, rows }: Fields) => count(cols) && count(rows)

type Checks = ReadonlyMap<string, (message: Fields) => boolean>

const COMMANDS: Checks = new Map(
  Object.entries({
    view: (m) => text(m.stream) && text(m.ref) && count(m.scrollback),
    leave: (m) => text(m.stream),
    credit: (m) => text(m.stream) && count(m.characters),
    input: (m) => text(m.data),
    'type-if': (m) =>
      text(m.ref) && text(m.data) && texts(m.lines) && (m.before === undefined || Number.isFinite(m.before)),
    'type-if-free': (m) => text(m.ref) && text(m.data),
    resize: size,
    watch: (m) => typeof m.on === 'boolean',
  } satisfies Record<HelperCommand['type'], (message: Fields) => boolean>),
)

const EVENTS: Checks = new Map(
  Object.entries({
    started: (m) => count(m.pid),
    screen: (m) => text(m.stream) && text(m.ref) && text(m.data) && size(m),
    output: (m) => text(m.stream) && text(m.data),
    resized: size,
    text: (m) => texts(m.lines),
    typed: (m) => text(m.ref) && typeof m.typed === 'boolean' && (m.why === undefined || text(m.why)),
    'last-screen': (m) => text(m.data) && size(m),
    exit: (m) => Number.isSafeInteger(m.code),
  } satisfies Record<HelperEvent['type'], (message: Fields) => boolean>),
)

export const readHelperCommand = (line: string) => read<HelperCommand>(line, COMMANDS)
export const readHelperEvent = (line: string) => read<HelperEvent>(line, EVENTS)

function read<Message>(line: string, checks: Checks): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return undefined
    const message = value as Fields
    const fits = typeof message.type === 'string' ? checks.get(message.type) : undefined
    return fits?.(message) ? (message as Message) : undefined
  } catch {
    return undefined
  }
}

export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

/** A size that a terminal can have: programs that are told others divide by zero, or take all memory. */
export function boundedSize({ cols, rows }: TerminalSize): TerminalSize {
  const { minCols, maxCols, minRows, maxRows } = SIZE_LIMITS
  return { cols: Math.min(Math.max(cols, minCols), maxCols), rows: Math.min(Math.max(rows, minRows), maxRows) }
}
