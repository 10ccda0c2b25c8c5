import { createFloodLimit } from './flood-limit.ts'
import {
  boundedSize,
  type HelperCommand,
  type HelperEvent,
  LAST_SCREEN_CHARACTERS,
  OUTPUT_WINDOW,
  type TerminalSize,
} from './helper-protocol.ts'
import type { HostedProgram } from './hosted-program.ts'
import type { TypingGuard } from './not-typed.ts'
import { createOutputForwarder } from './output-forwarder.ts'
import { type ScreenKeeper, withoutMark } from './screen-keeper.ts'

export interface HelperDeps {
  readonly program: Omit<HostedProgram, 'pid'>
  readonly screen: ScreenKeeper
  readonly guard: TypingGuard
  readonly send: (event: HelperEvent) => void
  /** The program has ended, and all that it wrote has been sent on. */
  readonly onEnd: () => void
  readonly now: () => number
  /** The time of day, which gateway and helper share. */
  readonly time: () => number
  readonly after: (milliseconds: number, callback: () => void) => () => void
}

/** Output read but not yet on the screen, in characters: above the first nothing is read, until the second is left. */
const UNDRAWN = { high: 256 * 1024, low: 64 * 1024 }
/** A screen in the middle of a control sequence is taken later, but not much. */
const SEQUENCE_WAIT_MS = 20
/** The screen's text is told when it has stopped changing for a moment, and every so often while it does not stop. */
const TEXT_QUIET_MS = 40
const TEXT_EVERY_MS = 200
/** How often it is looked again whether something may be typed, and for how long. */
const LOOK_MS = 100
const LOOKS = 40
/** The last screen comes with this many lines that have scrolled away, unless that is too much to keep. */
const LAST_SCROLLBACK = 1000

/** Keeps the screen of one program, and tells whoever looks what is on it. */
export function createPtyHelper(deps: HelperDeps) {
  const { program, screen, send, after } = deps
  const holds = new Set<'undrawn' | 'unsent' | 'flood'>()
  const flood = createFloodLimit(deps.now)
  const forwarder = createOutputForwarder({
    send: (stream, data) => send({ type: 'output', stream, data }),
    hold: (held) => hold('unsent', held),
    catchUp: (stream) => whenWhole(() => sendScreen(stream, '', 0)),
    after,
    window: OUTPUT_WINDOW,
  })
  /** Characters that the program has written and that were read. */
  let read = 0
  let lastActive = deps.now()
  let undrawn = 0
  let isOver = false
  let isWatched = false
  let lastText = ''
  let changedAt: number | undefined
  let cancelText: (() => void) | undefined

  program.onData((data) => {
    read += data.length
    lastActive = deps.now()
    undrawn += data.length
    if (undrawn > UNDRAWN.high) hold('undrawn', true)
    const pause = flood.read(data.length)
    if (pause > 0 && !holds.has('flood')) {
      hold('flood', true)
      after(pause, () => hold('flood', false))
    }
    screen.write(data, () => {
      undrawn -= data.length
      if (undrawn < UNDRAWN.low) hold('undrawn', false)
      forwarder.output(withoutMark(data))
      if (isWatched) tellTextSoon()
    })
  })
  // What a program asks its terminal is answered here, once, however many look on.
  screen.onReply((data) => void program.write(data))
  screen.onMark((data) => {
    const code = program.exitCodeIn(data)
    if (code !== undefined) screen.settled(() => end(code))
  })
  program.onGone((code) => screen.settled(() => end(code)))

  function hold(why: 'undrawn' | 'unsent' | 'flood', held: boolean) {
    const wasHeld = holds.size > 0
    if (held) holds.add(why)
    else holds.delete(why)
    if (holds.size > 0 === wasHeld) return
    if (wasHeld) program.resume()
    else program.pause()
  }

  /** Calls back when everything read is on the screen, and no control sequence is cut in two. */
  function whenWhole(callback: () => void, tries = 5) {
    screen.settled(() => {
      if (!screen.isInSequence || tries === 0 || isOver) return callback()
      after(SEQUENCE_WAIT_MS, () => whenWhole(callback, tries - 1))
    })
  }

  function sendScreen(stream: string, ref: string, scrollback: number) {
    // What waits to be sent is in the screen already. Where it cannot go out first, the screen is for everybody.
    forwarder.flush()
    const isAhead = forwarder.discard()
    send({ type: 'screen', stream, ref: isAhead ? '' : ref, data: screen.drawing(scrollback), ...screen.size })
  }

  function end(code: number) {
    if (isOver) return
    isOver = true
    forwarder.flush()
    send({ type: 'last-screen', data: lastDrawing(screen), ...screen.size })
    send({ type: 'exit', code })
    deps.onEnd()
  }

  function tellTextSoon() {
    cancelText?.()
    changedAt ??= deps.now()
    cancelText = after(Math.max(0, Math.min(TEXT_QUIET_MS, changedAt + TEXT_EVERY_MS - deps.now())), tellText)
  }

  function tellText() {
    cancelText = undefined
    changedAt = undefined
    const lines = screen.lines()
    const text = lines.join('\n')
    if (text === lastText || isOver) return
    lastText = text
    send({ type: 'text', lines })
  }

  function resize(wanted: TerminalSize) {
    const size = boundedSize(wanted)
    if (size.cols === screen.size.cols && size.rows === screen.size.rows) return
    // At once: what is typed next is typed into a terminal of the new size.
    screen.resize(size)
    program.resize(size.cols, size.rows)
    send({ type: 'resized', ...size })
    if (isWatched) tellTextSoon()
  }

  function type(data: string): boolean {
    lastActive = deps.now()
    return program.write(data)
  }

  function typeIf({
    ref,
    data,
    lines,
    before = Number.POSITIVE_INFINITY,
  }: Extract<HelperCommand, { type: 'type-if' }>) {
    screen.settled(() => {
      const typed = !isOver && deps.time() < before && holdsLines(screen.lines(), lines) && type(data)
      send({ type: 'typed', ref, typed })
    })
  }

  /** What the program has written and nobody has read may be a question: so first everything is read. */
  function typeIfFree(
    command: Extract<HelperCommand, { type: 'type-if-free' }>,
    { looks = LOOKS, readBefore = read } = {},
  ) {
    const { ref, data } = command
    const lookAgain = (readNow: number) =>
      after(LOOK_MS, () => typeIfFree(command, { looks: looks - 1, readBefore: readNow }))
    // Once it was held, until nothing more comes.
    if ((holds.has('unsent') || read !== readBefore) && looks > 0) {
      lookAgain(holds.has('unsent') ? Number.NaN : read)
      return
    }
    screen.settled(() => {
      if (isOver || holds.has('unsent')) return send({ type: 'typed', ref, typed: false, why: 'asked' })
      const quietMs = deps.now() - lastActive
      const why = deps.guard(data, { screen: screen.lines(), foreground: program.foreground, quietMs })
      if (why === 'changing' && looks > 0) return void lookAgain(read)
      if (why) return send({ type: 'typed', ref, typed: false, why })
      send({ type: 'typed', ref, typed: type(data) })
    })
  }

  return {
    take(command: HelperCommand) {
      if (isOver) return
      switch (command.type) {
        case 'view':
          return whenWhole(() => {
            forwarder.view(command.stream)
            sendScreen(command.stream, command.ref, command.scrollback)
          })
        case 'leave':
          return forwarder.leave(command.stream)
        case 'credit':
          return forwarder.credit(command.stream, command.characters)
        case 'input':
          return void type(command.data)
        case 'type-if':
          return typeIf(command)
        case 'type-if-free':
          return typeIfFree(command)
        case 'resize':
          return resize(command)
        case 'watch':
          isWatched = command.on
          lastText = ''
          if (isWatched) screen.settled(tellText)
          return
        default:
          return command satisfies never
      }
    },
  }
}

/** How the screen stands, with as much as can be kept: what has scrolled away too, all of the screen, or its text alone. */
function lastDrawing(screen: Pick<ScreenKeeper, 'drawing' | 'lines'>): string {
  const drawn = [LAST_SCROLLBACK, 0].map((scrollback) => screen.drawing(scrollback))
  const fits = drawn.find(({ length }) => length <= LAST_SCREEN_CHARACTERS)
  if (fits !== undefined) return fits
  const lines = screen.lines()
  while (lines.join('\r\n').length > LAST_SCREEN_CHARACTERS) lines.shift()
  return lines.join('\r\n')
}

/** Whether these lines stand on the screen one below the other. */
export function holdsLines(screen: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return false
  const last = screen.length - wanted.length
  for (let start = 0; start <= last; start++) {
    if (wanted.every((line, index) => screen[start + index] === line)) return true
  }
  return false
}
