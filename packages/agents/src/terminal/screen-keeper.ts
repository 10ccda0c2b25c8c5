import { boundCounts } from '@holdpoint/core/terminal/bound-counts'
import serializeAddon from '@xterm/addon-serialize'
import headless from '@xterm/headless'
import type { TerminalSize } from './helper-protocol.ts'
import { endsInSequence } from './pending-sequence.ts'

export interface ScreenKeeper {
  /** Takes output in; `done` is called when it is on the screen, in the order of the calls. */
  write(data: string, done: () => void): void
  /** Calls back when everything written so far is on the screen. */
  settled(callback: () => void): void
  resize(size: TerminalSize): void
  /** The screen as output that draws it, with so many lines of what has scrolled away. */
  drawing(scrollback: number): string
  /** Whether the screen stands in the middle of a control sequence. */
  readonly isInSequence: boolean
  lines(): string[]
  readonly size: TerminalSize
  /** What the terminal itself answers to a program that asks about it. */
  onReply(listener: (data: string) => void): void
  /** The program's own end, told in its output so that nothing of it can come later. */
  onMark(listener: (data: string) => void): void
}

/** Lines that have scrolled away and are kept. */
const SCROLLBACK = 1000
/** An OSC number that no terminal has given a meaning to. */
export const MARK_OSC = 7347

const MARK = new RegExp(`\\x1b\\]${MARK_OSC};[^\\x07]*\\x07`, 'g')

/** For those who look: the mark is between us and the program's wrapper. One that is cut in two means nothing to them. */
export function withoutMark(data: string): string {
  return data.replace(MARK, '')
}

/** The terminal that nobody sees: it keeps the screen while no one looks, and answers what a program asks a terminal. */
export function createScreenKeeper(initial: TerminalSize): ScreenKeeper {
  const terminal = new headless.Terminal({ ...initial, scrollback: SCROLLBACK, allowProposedApi: true })
  const serializer = new serializeAddon.SerializeAddon()
  terminal.loadAddon(serializer as unknown as Parameters<typeof terminal.loadAddon>[0])
  boundCounts(terminal)
  const switches = keepSwitches(terminal)
  let tail = ''

  return {
    write(data, done) {
      terminal.write(data, () => {
        tail = (tail + data).slice(-2 * 4096)
        done()
      })
    },
    settled: (callback) => terminal.write('', callback),
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    drawing: (scrollback) =>
      serializer.serialize({ scrollback: Math.min(scrollback, SCROLLBACK) }) + switches.drawing(),
    get isInSequence() {
      return endsInSequence(tail)
    },
    lines() {
      const { active } = terminal.buffer
      return Array.from(
        { length: terminal.rows },
        (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
      )
    },
    get size() {
      return { cols: terminal.cols, rows: terminal.rows }
    },
    onReply: (listener) => void terminal.onData(listener),
    onMark: (listener) =>
      void terminal.parser.registerOscHandler(MARK_OSC, (data) => {
        listener(data)
        return true
      }),
  }
}

/** What the serializer leaves out: whether the cursor is shown, and how mouse positions are told. */
const SWITCHES: ReadonlyMap<number, 'h' | 'l'> = new Map([
  [25, 'l'],
  [1006, 'h'],
])

function keepSwitches(terminal: headless.Terminal) {
  const unusual = new Set<number>()
  for (const final of ['h', 'l'] as const) {
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
      for (const parameter of parameters) {
        if (typeof parameter !== 'number' || !SWITCHES.has(parameter)) continue
        if (SWITCHES.get(parameter) === final) unusual.add(parameter)
        else unusual.delete(parameter)
      }
      // The terminal acts on it as ever.
      return false
    })
  }
  terminal.parser.registerEscHandler({ final: 'c' }, () => {
    unusual.clear()
    return false
  })
  return { drawing: () => [...unusual].map((parameter) => `\x1b[?${parameter}${SWITCHES.get(parameter)}`).join('') }
}
