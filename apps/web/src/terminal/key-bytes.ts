/** The key modes that the program has set in its terminal. */
export interface KeyModes {
  readonly applicationCursorKeys: boolean
  readonly bracketedPaste: boolean
}

/** The part of a KeyboardEvent that says which key it is. */
export interface Key {
  readonly key: string
  readonly ctrlKey?: boolean
  readonly altKey?: boolean
  readonly shiftKey?: boolean
  readonly metaKey?: boolean
}

const ESCAPE = '\x1b'
/** `CSI A`, and `SS3 A` where the program wants it. */
const CURSOR: Readonly<Record<string, string>> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  End: 'F',
  Home: 'H',
}
const FIRST_FUNCTIONS: Readonly<Record<string, string>> = { F1: 'P', F2: 'Q', F3: 'R', F4: 'S' }
/** `CSI n ~`. */
const NUMBERED: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
}
/** Control and these: the codes that no letter has. Control and digits are the browser's. */
const CONTROL: Readonly<Record<string, string>> = {
  ' ': '\0',
  '@': '\0',
  '[': ESCAPE,
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
  '/': '\x1f',
}

/** What a terminal sends for a key; nothing for keys that write text, and for those that are the browser's. */
export function keyBytes(key: Key, modes: KeyModes): string | undefined {
  if (key.metaKey) return undefined
  return specialKey(key, modes) ?? combination(key)
}

function specialKey(key: Key, { applicationCursorKeys }: KeyModes): string | undefined {
  const before = key.altKey ? ESCAPE : ''
  switch (key.key) {
    case 'Enter':
      return `${before}\r`
    case 'Escape':
      return `${before}${ESCAPE}`
    case 'Tab':
      return key.ctrlKey ? undefined : key.shiftKey ? `${ESCAPE}[Z` : `${before}\t`
    case 'Backspace':
      return before + (key.ctrlKey ? '\b' : '\x7f')
  }
  const modifiers = 1 + (key.shiftKey ? 1 : 0) + (key.altKey ? 2 : 0) + (key.ctrlKey ? 4 : 0)
  const cursor = own(CURSOR, key.key)
  if (cursor !== undefined) {
    if (modifiers > 1) return `${ESCAPE}[1;${modifiers}${cursor}`
    return `${ESCAPE}${applicationCursorKeys ? 'O' : '['}${cursor}`
  }
  const first = own(FIRST_FUNCTIONS, key.key)
  if (first !== undefined) return modifiers > 1 ? `${ESCAPE}[1;${modifiers}${first}` : `${ESCAPE}O${first}`
  const number = own(NUMBERED, key.key)
  if (number === undefined) return undefined
  // Shift and these look through what was before; that is the page's own scrolling.
  if (key.shiftKey && (key.key === 'PageUp' || key.key === 'PageDown' || key.key === 'Insert')) return undefined
  return modifiers > 1 ? `${ESCAPE}[${number};${modifiers}~` : `${ESCAPE}[${number}~`
}

function combination(key: Key): string | undefined {
  // Control and Alt together are AltGr, which writes text on many keyboards.
  if (key.key.length !== 1 || Boolean(key.ctrlKey) === Boolean(key.altKey)) return undefined
  if (key.altKey) return /^[\x20-\x7E]$/.test(key.key) ? ESCAPE + key.key : undefined
  const letter = key.key.toUpperCase()
  if (letter < 'A' || letter > 'Z') return own(CONTROL, key.key)
  // Pasting is the browser's, and with Shift everything is.
  return letter === 'V' || key.shiftKey ? undefined : String.fromCharCode(letter.charCodeAt(0) - 64)
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Typed or pasted text: line ends as the Enter key sends them, and no control codes but tabs. */
export function textBytes(text: string): string {
  return (
    text
      .replace(/\r\n|\n/g, '\r')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
      .replace(/[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g, '')
  )
}

/** Text from the clipboard. It cannot end the bracket by itself: no escape gets through. */
export function pasteBytes(text: string, { bracketedPaste }: KeyModes): string {
  const plain = textBytes(text)
  return bracketedPaste ? `${ESCAPE}[200~${plain}${ESCAPE}[201~` : plain
}
