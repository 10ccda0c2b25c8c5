import { randomUUID } from 'node:crypto'
import type { Clock } from '@holdpoint/core/clock'
import type { HostAgent } from '../host/client/host-agent.ts'
import { type HelperCommand, readHelperEvent, type TerminalSize } from './helper-protocol.ts'
import type { NotTyped } from './not-typed.ts'
import { createWriterRule, HOLD_MS } from './writer-rule.ts'

/** A screen as output that draws it. */
export interface TerminalScreen extends TerminalSize {
  readonly data: string
}

/** Somebody who looks at a terminal. */
export interface TerminalViewer {
  onScreen(screen: TerminalScreen): void
  onOutput(data: string): void
  /** Who has the keyboard: they, somebody else, or nobody. */
  onWriter(writer: { readonly you: boolean; readonly busy: boolean }): void
  onExit(code: number): void
  /** Whether it can be written to just now. One that cannot is left behind, and shown the screen when it can. */
  readonly writable: boolean
  ready(): Promise<void>
}

export interface TerminalView {
  /** Says whether it was typed: false while somebody else types. */
  input(data: string): boolean
  /** Counts for whoever has the keyboard, or looks alone. */
  resize(size: TerminalSize): void
  close(): void
}

export interface ViewOptions {
  readonly scrollback: number
  /** Whoever may only look does not decide how large the program's screen is. */
  readonly mayType: boolean
}

/** A hosted terminal as the gateway sees it. */
export interface Terminal {
  /** Shows the screen, from now on or as it was at the end. */
  view(viewer: TerminalViewer, options: TerminalSize & ViewOptions): TerminalView
  /**
   * Types for somebody who does not look: not while somebody else types, and not where it might answer what Claude Code
   * asks or is about to ask. That is looked at where the screen is kept, in the moment of typing.
   */
  typeIfFree(who: string, data: string): Promise<'typed' | 'busy' | NotTyped>
  /** Types whoever has the keyboard: for what a person has decided elsewhere. */
  press(keys: string): void
  /** Types only if the screen holds these lines. `unknown` where nobody said whether it was typed: it may have been. */
  typeIf(keys: string, lines: readonly string[]): Promise<'typed' | 'refused' | 'unknown'>
  /** For how many milliseconds nobody has typed. */
  readonly idleMs: number
  /** What is on the screen, from now on and whenever it changes, until the signal aborts. One at a time. */
  watch(listener: (lines: readonly string[]) => void, signal: AbortSignal): void
  /** The program's exit code; undefined when it was not told. Settles when the helper is gone, too. */
  readonly exited: Promise<number | undefined>
  /** How it looked when the program ended. */
  readonly lastScreen: TerminalScreen | undefined
}

interface Seat {
  readonly id: string
  readonly viewer: TerminalViewer
  readonly mayType: boolean
  scrollback: number
  size: TerminalSize
  /** Has had a screen that the output follows on. */
  isCurrent: boolean
  isWaiting: boolean
  told: string
}

/** What is taken is told in portions, so that a flood costs few messages. */
const CREDIT_EVERY_MS = 15
const TYPE_DEADLINE_MS = 5000
/** When the helper is not to type any more, and how long it is waited for until it says so: it may have been held up. */
const TYPE_IF_MS = { before: 4000, told: 30_000 }

/** The gateway's end of a terminal: any number who look, one who types. */
export function createTerminal(
  agent: HostAgent,
  { clock, onFault }: { clock: Clock; onFault: (error: unknown) => void },
) {
  const stream = randomUUID()
  const seats = new Map<string, Seat>()
  const writer = createWriterRule(clock.now)
  const typing = new Map<string, (how: 'typed' | NotTyped | undefined) => void>()
  let watcher: ((lines: readonly string[]) => void) | undefined
  let taken = 0
  let crediting = false
  let isOver = false
  let exitCode: number | undefined
  let lastScreen: TerminalScreen | undefined
  let cancelHold = () => {}
  let settleExit = (_code: number | undefined) => {}
  const exited = new Promise<number | undefined>((resolve) => {
    settleExit = resolve
  })

  function tell(command: HelperCommand) {
    if (!isOver) agent.write(JSON.stringify(command)).catch((error: unknown) => isOver || onFault(error))
  }

  agent.onLine((line, text) => {
    const event = readHelperEvent(text)
    // How it ended is for the next gateway to read as well, should this one go before it is on record.
    if (event?.type !== 'exit' && event?.type !== 'last-screen') agent.ack(line)
    if (!event) return
    switch (event.type) {
      case 'output':
        return event.stream === stream ? output(event.data) : undefined
      case 'screen':
        return event.stream === stream ? screen(event.ref, event) : undefined
      case 'resized':
        for (const seat of seats.values()) askScreen(seat)
        return
      case 'text':
        return watcher?.(event.lines)
      case 'typed':
        typing.get(event.ref)?.(event.typed ? 'typed' : (event.why ?? 'asked'))
        return
      case 'last-screen':
        lastScreen = { data: event.data, cols: event.cols, rows: event.rows }
        return
      case 'exit':
        return over(event.code)
      case 'started':
        return
      default:
        return event satisfies never
    }
  })
  void agent.exit.then(() => over(undefined))

  function over(code: number | undefined) {
    if (isOver) return
    isOver = true
    exitCode = code
    cancelHold()
    settleExit(code)
    for (const settle of [...typing.values()]) settle(undefined)
    for (const seat of seats.values()) showEnd(seat)
    seats.clear()
  }

  function showEnd({ viewer, isCurrent }: Pick<Seat, 'viewer' | 'isCurrent'>) {
    if (lastScreen && !isCurrent) viewer.onScreen(lastScreen)
    if (exitCode !== undefined) viewer.onExit(exitCode)
  }

  function output(data: string) {
    let isTaken = seats.size === 0
    for (const seat of seats.values()) {
      if (!seat.isCurrent) continue
      if (!seat.viewer.writable) {
        leaveBehind(seat)
        continue
      }
      seat.viewer.onOutput(data)
      isTaken = true
    }
    // Where nobody can take it, the program waits for the first who can.
    if (isTaken) credit(data.length)
    else void Promise.race([...seats.values()].map(({ viewer }) => viewer.ready())).then(() => credit(data.length))
  }

  function credit(characters: number) {
    taken += characters
    if (crediting) return
    crediting = true
    clock.after(CREDIT_EVERY_MS, () => {
      crediting = false
      tell({ type: 'credit', stream, characters: taken })
      taken = 0
    })
  }

  function leaveBehind(seat: Seat) {
    seat.isCurrent = false
    if (seat.isWaiting) return
    seat.isWaiting = true
    void seat.viewer.ready().then(() => {
      seat.isWaiting = false
      if (seats.get(seat.id) === seat) askScreen(seat)
    })
  }

  function askScreen({ id, scrollback }: Seat) {
    tell({ type: 'view', stream, ref: id, scrollback })
  }

  function screen(ref: string, { data, cols, rows }: TerminalScreen) {
    const for_ = ref === '' ? [...seats.values()] : [seats.get(ref)]
    for (const seat of for_) {
      if (!seat) continue
      seat.isCurrent = true
      seat.viewer.onScreen({ data, cols, rows })
      tellWriter(seat)
    }
  }

  function tellWriter(seat: Seat) {
    const now = { you: writer.holder === seat.id, busy: writer.isBusyFor(seat.id) }
    const text = JSON.stringify(now)
    if (seat.told === text) return
    seat.told = text
    seat.viewer.onWriter(now)
  }

  function tellWriters() {
    for (const seat of seats.values()) tellWriter(seat)
    cancelHold()
    cancelHold = clock.after(HOLD_MS, () => {
      for (const seat of seats.values()) tellWriter(seat)
    })
  }

  function input(who: string, data: string): boolean {
    const isNew = writer.holder !== who
    if (isOver || !writer.claim(who)) return false
    const seat = seats.get(who)
    // Before the first key, which may be one that asks for the size.
    if (seat && isNew) resize(seat)
    tell({ type: 'input', data })
    tellWriters()
    return true
  }

  /** Whether the helper has typed it; undefined where it does not say. */
  function typed(command: (ref: string) => HelperCommand, deadlineMs: number): Promise<'typed' | NotTyped | undefined> {
    const ref = randomUUID()
    return new Promise((resolve) => {
      const cancel = clock.after(deadlineMs, () => settle(undefined))
      const settle = (how: 'typed' | NotTyped | undefined) => {
        cancel()
        typing.delete(ref)
        resolve(how)
      }
      typing.set(ref, settle)
      if (isOver) return settle('asked')
      tell(command(ref))
    })
  }

  /** The one who types sees what they type: the terminal has their size. */
  function resize(seat: Seat) {
    const first = () => [...seats.values()].find(({ mayType }) => mayType)?.id
    const decides = writer.holder === undefined || !seats.has(writer.holder) ? first() : writer.holder
    if (decides === seat.id) tell({ type: 'resize', ...seat.size })
  }

  const terminal: Terminal = {
    view(viewer, { scrollback, cols, rows, mayType }) {
      if (isOver) {
        showEnd({ viewer, isCurrent: false })
        return { input: () => false, resize() {}, close() {} }
      }
      const seat: Seat = {
        id: randomUUID(),
        viewer,
        scrollback,
        mayType,
        size: { cols, rows },
        isCurrent: false,
        isWaiting: false,
        told: '',
      }
      seats.set(seat.id, seat)
      resize(seat)
      askScreen(seat)
      return {
        input: (data) => input(seat.id, data),
        resize(size) {
          seat.size = size
          resize(seat)
        },
        close() {
          seats.delete(seat.id)
          writer.release(seat.id)
          if (seats.size === 0) tell({ type: 'leave', stream })
          else tellWriters()
        },
      }
    },
    async typeIfFree(who, data) {
      if (isOver || !writer.claim(who)) return 'busy'
      // One that says nothing, such as a helper from before this command, types nothing.
      const how = (await typed((ref) => ({ type: 'type-if-free', ref, data }), TYPE_DEADLINE_MS)) ?? 'asked'
      // Whoever could not type does not keep others from it.
      if (how !== 'typed') writer.release(who)
      tellWriters()
      return how
    },
    press: (keys) => tell({ type: 'input', data: keys }),
    async typeIf(keys, lines) {
      const before = clock.now() + TYPE_IF_MS.before
      const how = await typed((ref) => ({ type: 'type-if', ref, data: keys, lines, before }), TYPE_IF_MS.told)
      if (how === undefined) return 'unknown'
      return how === 'typed' ? 'typed' : 'refused'
    },
    get idleMs() {
      return writer.idleMs
    },
    watch(listener, signal) {
      watcher = listener
      tell({ type: 'watch', on: true })
      signal.addEventListener(
        'abort',
        () => {
          if (watcher !== listener) return
          watcher = undefined
          tell({ type: 'watch', on: false })
        },
        { once: true },
      )
    },
    exited,
    get lastScreen() {
      return lastScreen
    },
  }
  return terminal
}
