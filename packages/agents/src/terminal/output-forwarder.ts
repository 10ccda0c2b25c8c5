export interface ForwarderDeps {
  readonly send: (stream: string, data: string) => void
  /** Whether the program's output may be read on. */
  readonly hold: (held: boolean) => void
  /** Output was left out: whoever looks needs a screen. */
  readonly catchUp: (stream: string) => void
  /** Calls back once after so many milliseconds; returns how to call it off. */
  readonly after: (milliseconds: number, callback: () => void) => () => void
  /** Characters that may be on their way. */
  readonly window: number
}

/** A gateway that takes nothing for so long is gone, or stuck: the program does not wait for it any longer. */
export const PATIENCE_MS = 2000
/** The most that one line holds, so that others get their turn in between. */
const PIECE = 8 * 1024
/** Output that comes within this time goes out together. */
const GATHER_MS = 4

/**
 * Output on its way to whoever looks. It is never more than the window ahead of what was taken: then the program is held
 * up, as by a real terminal that is slow; but not for ever. Who comes back later is shown the screen, not what was missed.
 */
export function createOutputForwarder(deps: ForwarderDeps) {
  let stream: string | undefined
  let credit = 0
  let waiting: string[] = []
  let isBehind = false
  let cancelFlush: (() => void) | undefined
  let cancelPatience: (() => void) | undefined

  function flush() {
    cancelFlush?.()
    cancelFlush = undefined
    let rest = waiting.join('')
    waiting = []
    while (stream !== undefined && rest !== '' && credit > 0) {
      const length = wholeCharacters(rest, Math.min(PIECE, credit, rest.length))
      deps.send(stream, rest.slice(0, length))
      credit -= length
      rest = rest.slice(length)
    }
    if (rest !== '') waiting.unshift(rest)
    if (rest === '') release()
    else holdUp()
  }

  function holdUp() {
    if (cancelPatience) return
    deps.hold(true)
    cancelPatience = deps.after(PATIENCE_MS, () => {
      waiting = []
      isBehind = true
      release()
    })
  }

  function release() {
    if (!cancelPatience) return
    cancelPatience()
    cancelPatience = undefined
    deps.hold(false)
  }

  function stop() {
    cancelFlush?.()
    cancelFlush = undefined
    waiting = []
    isBehind = false
    release()
  }

  return {
    /** Somebody looks from here on; under a stream that is known, what is on its way still counts. */
    view(wanted: string) {
      if (wanted === stream && !isBehind) return
      stop()
      if (wanted !== stream) credit = deps.window
      stream = wanted
    },
    leave(left: string) {
      if (left !== stream) return
      stop()
      stream = undefined
    },
    credit(of: string, characters: number) {
      if (of !== stream) return
      credit = Math.min(credit + characters, deps.window)
      if (isBehind) {
        isBehind = false
        deps.catchUp(of)
      } else if (waiting.length > 0) flush()
    },
    output(data: string) {
      if (stream === undefined || isBehind || data === '') return
      waiting.push(data)
      cancelFlush ??= deps.after(GATHER_MS, flush)
    },
    flush,
    /** A screen is about to be sent that has all of this in it. Says whether there was anything. */
    discard(): boolean {
      const hadSome = waiting.length > 0
      waiting = []
      isBehind = false
      release()
      return hadSome
    },
    get isViewed() {
      return stream !== undefined && !isBehind
    },
  }
}

/** Never between the two halves of a character. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1)
  const splits = length < text.length && last >= 0xd800 && last < 0xdc00
  return splits ? length + 1 : length
}
