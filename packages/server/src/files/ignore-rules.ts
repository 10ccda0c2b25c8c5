/** Of one file. Lines beyond these leave out nothing. */
const MOST_LINES = 2000
const LONGEST_LINE = 500

/** What may still be compared. At its end nothing is known of the rest: whoever asks has to stop. */
export interface CompareBudget {
  left: number
}

/** A text is one character that stands for itself. */
type Sign = string | typeof ONE | typeof SOME | ((character: string) => boolean)
type Segment = typeof ANY_DEPTH | readonly Sign[]
const ONE = Symbol('?')
const SOME = Symbol('*')
const ANY_DEPTH = Symbol('**')

interface IgnoreRule {
  readonly isBack: boolean
  readonly folderOnly: boolean
  readonly segments: readonly Segment[]
}

/** What one `.gitignore` says of paths below its folder; undefined where it says nothing. */
export type IgnoreRules = (names: readonly string[], isFolder: boolean, budget: CompareBudget) => boolean | undefined

/**
 * Reads a `.gitignore` as git does, without git and without regular expressions: a repository writes these lines, and
 * none of them may keep the gateway busy. Comparing takes at most the length of the name times that of the line (T49).
 */
export function ignoreRules(text: string): IgnoreRules {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split('\n', MOST_LINES)
    .flatMap((line) => ruleOf(line) ?? [])
  return (names, isFolder, budget) => {
    // The last line that fits counts.
    for (let at = rules.length - 1; at >= 0; at--) {
      const rule = rules[at]
      if (rule && (isFolder || !rule.folderOnly) && fitsPath(rule.segments, names, budget)) return !rule.isBack
    }
    return undefined
  }
}

function ruleOf(line: string): IgnoreRule | undefined {
  let text = withoutBlanksAtEnd(line.replace(/\r$/, ''))
  if (text === '' || text.startsWith('#') || text.length > LONGEST_LINE) return undefined
  const isBack = text.startsWith('!')
  if (isBack) text = text.slice(1)
  const folderOnly = text.endsWith('/')
  if (folderOnly) text = text.slice(0, -1)
  // A slash before its end ties it to the folder of its file.
  const parts = text.replace(/^\//, '').split('/')
  const isTied = text.includes('/')
  const segments: Segment[] = isTied ? [] : [ANY_DEPTH]
  for (const part of parts) {
    const segment = part === '**' ? ANY_DEPTH : segmentOf(part)
    if (segment === undefined) return undefined
    segments.push(segment)
  }
  return text === '' ? undefined : { isBack, folderOnly, segments }
}

function withoutBlanksAtEnd(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--
  return line.slice(0, end)
}

/** Undefined where it is no pattern: git lets it fit nothing. */
function segmentOf(part: string): readonly Sign[] | undefined {
  const signs: Sign[] = []
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at)
    if (character === '*') signs.push(SOME)
    else if (character === '?') signs.push(ONE)
    else if (character === '[') {
      const found = classAt(part, at + 1)
      if (!found) return undefined
      signs.push(found.isIn)
      at = found.end
    } else {
      if (character === '\\') at++
      if (at >= part.length) return undefined
      signs.push(part.charAt(at))
    }
  }
  return signs
}

const POSIX: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /\d/,
  alnum: /[A-Za-z\d]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /\s/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[\dA-Fa-f]/,
}

function classAt(part: string, start: number): { isIn: (character: string) => boolean; end: number } | undefined {
  const isNot = part[start] === '!' || part[start] === '^'
  const tests: ((character: string) => boolean)[] = []
  let at = isNot ? start + 1 : start
  for (let isFirst = true; at < part.length; isFirst = false, at++) {
    if (part[at] === ']' && !isFirst) {
      return { isIn: (character) => tests.some((test) => test(character)) !== isNot, end: at }
    }
    const posix = /^\[:([a-z]+):\]/.exec(part.slice(at, at + 12))
    const named = posix?.[1] === undefined ? undefined : POSIX[posix[1]]
    if (posix && named) {
      tests.push((character) => named.test(character))
      at += posix[0].length - 1
      continue
    }
    if (part[at] === '\\') at++
    const from = part.charAt(at)
    if (part[at + 1] === '-' && part[at + 2] !== undefined && part[at + 2] !== ']') {
      at += part[at + 2] === '\\' ? 3 : 2
      const to = part.charAt(at)
      tests.push((character) => character >= from && character <= to)
    } else tests.push((character) => character === from)
  }
  return undefined
}

/** Only the last `**` that was passed is tried at another place: an earlier place never makes the rest harder to fit. */
function fitsPath(segments: readonly Segment[], names: readonly string[], budget: CompareBudget): boolean {
  let at = 0
  let name = 0
  let back: { at: number; name: number } | undefined
  while (name < names.length) {
    const segment = segments[at]
    if (segment === ANY_DEPTH) {
      back = { at, name }
      at++
      // At the end it is what lies below, not the folder itself.
      if (at === segments.length) return name < names.length
    } else if (segment !== undefined && fitsName(segment, names[name] ?? '', budget)) {
      at++
      name++
    } else if (back) {
      back.name++
      at = back.at + 1
      name = back.name
    } else return false
  }
  return at === segments.length
}

function fitsName(segment: readonly Sign[], name: string, budget: CompareBudget): boolean {
  let at = 0
  let character = 0
  let back: { at: number; character: number } | undefined
  while (character < name.length) {
    if (--budget.left < 0) return false
    const next = segment[at]
    if (next === SOME) {
      back = { at, character }
      at++
    } else if (next !== undefined && fitsSign(next, name.charAt(character))) {
      at++
      character++
    } else if (back) {
      back.character++
      at = back.at + 1
      character = back.character
    } else return false
  }
  while (segment[at] === SOME) at++
  return at === segment.length
}

function fitsSign(sign: Sign, character: string): boolean {
  return typeof sign === 'function' ? sign(character) : sign === ONE || sign === character
}
