/** Where something stands in a JSON text. */
export interface Span {
  readonly start: number
  /** After its last character. */
  readonly end: number
}

export interface Member extends Span {
  readonly key: string
  readonly value: Span
}

const SPACE = /\s/

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The value that a text holds. The text has to be valid JSON, here and below: nothing is checked. */
export function rootOf(text: string): Span {
  const start = skipSpace(text, 0)
  return { start, end: endOfValue(text, start) }
}

/** The members of the object at `span`, in order; a key may come twice. */
export function membersOf(text: string, span: Span): Member[] {
  return childrenOf(text, span, (start) => {
    const keyEnd = endOfValue(text, start)
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const value = { start: valueStart, end: endOfValue(text, valueStart) }
    return { start, end: value.end, key: JSON.parse(text.slice(start, keyEnd)) as string, value }
  })
}

/** The items of the array at `span`. */
export function itemsOf(text: string, span: Span): Span[] {
  return childrenOf(text, span, (start) => ({ start, end: endOfValue(text, start) }))
}

export function parsedAt(text: string, span: Span): unknown {
  return JSON.parse(text.slice(span.start, span.end))
}

function childrenOf<Child extends Span>(text: string, span: Span, read: (start: number) => Child): Child[] {
  const children: Child[] = []
  let at = skipSpace(text, span.start + 1)
  while (at < span.end - 1) {
    const child = read(at)
    children.push(child)
    // Past the comma, or the bracket that closes.
    at = skipSpace(text, skipSpace(text, child.end) + 1)
  }
  return children
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && SPACE.test(text.charAt(at))) at++
  return at
}

function endOfValue(text: string, start: number): number {
  const first = text.charAt(start)
  if (first === '"') return endOfString(text, start)
  if (first !== '{' && first !== '[') {
    let at = start
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++
    return at
  }
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === '"') return at + 1
  }
  return text.length
}
