/** The lines of one `.gitignore`, read without git: nothing of a repository's configuration has a say here. */
export interface IgnoreRules {
  /** What the last line that fits says of an entry, by its names below the file's folder; undefined where none fits. */
  verdict(names: readonly string[], isFolder: boolean): 'ignored' | 'kept' | undefined
}

/** One folder on the way to an entry that has a file of such lines. */
export interface IgnoreLevel {
  /** How many names its folder has, counted from the root. */
  readonly depth: number
  readonly rules: IgnoreRules
}

type Token = '*' | '?' | { readonly char: string } | { readonly set: readonly Range[]; readonly not: boolean }
type Range = readonly [from: string, to: string]
type Segment = '**' | { readonly literal: string } | { readonly tokens: readonly Token[] }

interface Line {
  readonly segments: readonly Segment[]
  /** Fits a name in any folder below. */
  readonly isName: boolean
  readonly foldersOnly: boolean
  readonly keeps: boolean
}

/** More than anybody writes: what follows is not read. */
const MAX_LINES = 2000
const MAX_LINE = 1000

export function parseIgnoreRules(text: string): IgnoreRules {
  const lines = text
    .split(/\r?\n/, MAX_LINES)
    .flatMap((line) => (line.length > MAX_LINE ? [] : (lineOf(line) ?? [])))
    .reverse()
  return {
    verdict(names, isFolder) {
      const line = lines.find((each) => (isFolder || !each.foldersOnly) && fits(each, names))
      return line && (line.keeps ? 'kept' : 'ignored')
    },
  }
}

/** The deepest file that says something decides. Whoever asks does not go into an ignored folder. */
export function isIgnored(levels: readonly IgnoreLevel[], names: readonly string[], isFolder: boolean): boolean {
  for (const { depth, rules } of levels.toReversed()) {
    const verdict = rules.verdict(names.slice(depth), isFolder)
    if (verdict) return verdict === 'ignored'
  }
  return false
}

function lineOf(written: string): Line | undefined {
  // Blanks at the end count only where they are escaped.
  let text = written.replace(/(?<!\\)[ \t]+$/, '')
  if (text === '' || text.startsWith('#')) return undefined
  const keeps = text.startsWith('!')
  if (keeps) text = text.slice(1)
  const foldersOnly = text.endsWith('/')
  if (foldersOnly) text = text.slice(0, -1)
  const isName = !text.includes('/')
  const segments = text
    .replace(/^\//, '')
    .split('/')
    .map((name) => (name === '**' ? '**' : segmentOf(name)))
  if (segments.length === 0 || text === '') return undefined
  return { segments, isName, foldersOnly, keeps }
}

function segmentOf(name: string): Segment {
  const tokens: Token[] = []
  for (let at = 0; at < name.length; at++) {
    const char = name.charAt(at)
    if (char === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*')
    } else if (char === '?') tokens.push('?')
    else if (char === '[') {
      const end = endOfSet(name, at)
      if (end === undefined) tokens.push({ char })
      else {
        tokens.push(setOf(name.slice(at + 1, end)))
        at = end
      }
    } else if (char === '\\' && at + 1 < name.length) tokens.push({ char: name.charAt(++at) })
    else tokens.push({ char })
  }
  const chars = tokens.flatMap((token) => (typeof token === 'object' && 'char' in token ? [token.char] : []))
  return chars.length === tokens.length ? { literal: chars.join('') } : { tokens }
}

/** Where a set closes; one that begins with a bracket has it as a member. */
function endOfSet(name: string, start: number): number | undefined {
  const first = start + (/^[!^]/.test(name.slice(start + 1)) ? 2 : 1)
  const end = name.indexOf(']', first + 1)
  return end < 0 ? undefined : end
}

function setOf(text: string): Token {
  const not = /^[!^]/.test(text)
  const members = [...(not ? text.slice(1) : text).replaceAll('\\', '')]
  const set: Range[] = []
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? ''
    const to = members[at + 1] === '-' ? members[at + 2] : undefined
    set.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return { set, not }
}

function fits({ segments, isName }: Line, names: readonly string[]): boolean {
  const [first] = segments
  if (isName && first) return first === '**' || fitsName(first, names.at(-1) ?? '')
  return fitsWithStars(
    segments,
    names,
    (segment) => segment === '**',
    (segment, name) => segment !== '**' && fitsName(segment, name),
    // `a/**` is what lies in `a`, not `a` itself.
    segments.at(-1) === '**' ? 1 : 0,
  )
}

function fitsName(segment: Exclude<Segment, '**'>, name: string): boolean {
  if ('literal' in segment) return segment.literal === name
  return fitsWithStars(
    segment.tokens,
    name,
    (token) => token === '*',
    (token, char) => token === '?' || (typeof token === 'object' && fitsChar(token, char)),
  )
}

function fitsChar(token: Exclude<Token, string>, char: string): boolean {
  if ('char' in token) return token.char === char
  return token.set.some(([from, to]) => from <= char && char <= to) !== token.not
}

/**
 * Whether a pattern in which some parts stand for any run fits. Only the last of those is ever tried again, so that no
 * pattern that somebody writes takes longer than its length times that of the name (T49).
 */
function fitsWithStars<Part, Piece>(
  pattern: readonly Part[],
  given: ArrayLike<Piece>,
  isStar: (part: Part) => boolean,
  fitsOne: (part: Part, piece: Piece) => boolean,
  leftForLast = 0,
): boolean {
  let at = 0
  let star: { readonly next: number; from: number } | undefined
  let part = 0
  while (at < given.length) {
    const wanted = pattern[part]
    const piece = given[at] as Piece
    if (wanted !== undefined && isStar(wanted)) star = { next: ++part, from: at }
    else if (wanted !== undefined && fitsOne(wanted, piece)) {
      part++
      at++
    } else if (star) {
      at = ++star.from
      part = star.next
    } else return false
  }
  while (part < pattern.length - leftForLast && isStar(pattern[part] as Part)) part++
  return part === pattern.length
}
