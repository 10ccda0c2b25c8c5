/** Ctrl-], as terminals send it: the character itself, or its code where a program has asked for that. */
const PREFIXES = ['\x1d', '\x1b[93;5u']
const LEAVE = 'd'

export const LEAVE_WORDS = 'Ctrl-] and then d'
/** Where there is little room. */
export const LEAVE_KEYS = 'Ctrl-] d'

/** Finds the keys that are meant for us. All others are forwarded to the program, in order and unchanged. */
export function createLeaveKeys() {
  let held = ''
  return (typed: string): { forward: string; isLeaving: boolean } => {
    let forward = ''
    let rest = typed
    while (rest !== '') {
      if (held !== '') {
        if (rest.startsWith(LEAVE)) return { forward, isLeaving: true }
        forward += held
        held = ''
      }
      const [at, prefix] = firstOf(rest)
      forward += rest.slice(0, at)
      held = prefix
      rest = rest.slice(at + prefix.length)
    }
    return { forward, isLeaving: false }
  }
}

function firstOf(text: string): [number, string] {
  const found = PREFIXES.map((prefix): [number, string] => [text.indexOf(prefix), prefix]).filter(([at]) => at >= 0)
  return found.sort(([a], [b]) => a - b)[0] ?? [text.length, '']
}

/**
 * Replies that a terminal sends by itself: its type, the cursor position, its colours, whether its window has the focus.
 * The program's own terminal has replied already, and input that nobody typed must not take the keyboard.
 */
const REPLIES = new RegExp(
  [
    '\\x1b\\[[?>=][\\d;]*c',
    '\\x1b\\[\\?[\\d;]*[nu]',
    '\\x1b\\[\\?[\\d;]*\\$y',
    '\\x1b\\[[03]n',
    // Row and column. With row 1 and a small column it could be F3 with Shift or Ctrl.
    '\\x1b\\[(?!1;[2-8]R)\\d+;\\d+R',
    '\\x1b\\[[\\d;]+t',
    '\\x1b\\[[IO]',
    '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)',
    '\\x1b[P_][^\\x1b]*\\x1b\\\\',
  ].join('|'),
  'g',
)

export function withoutReplies(typed: string): string {
  return typed.replace(REPLIES, '')
}
