import { fitsName, type PatternSegment } from './path-pattern.ts'

/**
 * Whether a path may be what a pattern is about, or lie below it: both from the root, and the names of the path may have
 * globs in them. Of a whole tree, also whether something below the path may be. Wide: it may say yes where nothing fits,
 * never no where something does. One step for each name and place in the pattern (T49).
 */
export function reachesPath(pattern: readonly PatternSegment[], names: readonly string[], isTree: boolean): boolean {
  if (!isTree && isTooShort(pattern, names)) return false
  let places = withSkipped(pattern, new Set([0]))
  for (const name of names) {
    const next = new Set<number>()
    for (const at of places) {
      const segment = pattern[at]
      if (!segment || 'anyDepth' in segment) next.add(at)
      else if (mayShareName(segment.pieces, name)) next.add(at + 1)
      // Some shells take it for any number of folders.
      if (name === '**') for (let later = at; later <= pattern.length; later++) next.add(later)
    }
    places = withSkipped(pattern, next)
    if (places.size === 0) return false
  }
  return isTree || places.has(pattern.length)
}

/** The names of a path, from the root. */
export function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}

/** Each name of the pattern needs one of the path: most patterns are told apart by that, without a step. */
function isTooShort(pattern: readonly PatternSegment[], names: readonly string[]): boolean {
  if (pattern.length <= names.length || names.includes('**')) return false
  return pattern.filter((segment) => 'pieces' in segment).length > names.length
}

/** A path as a pattern that stands for it. */
export function segmentsOf(path: string): PatternSegment[] {
  return namesOf(path).map((name) => ({ pieces: [name] }))
}

/** `**` also stands for nothing. */
function withSkipped(pattern: readonly PatternSegment[], places: ReadonlySet<number>): ReadonlySet<number> {
  const all = new Set(places)
  for (const at of all) {
    const segment = pattern[at]
    if (segment && 'anyDepth' in segment) all.add(at + 1)
  }
  return all
}

const GLOB = /[*?[]/

function mayShareName(pieces: readonly string[], name: string): boolean {
  if (!GLOB.test(name)) return fitsName({ pieces }, name, true)
  const start = name.slice(0, name.search(GLOB))
  const end = /[^*?\]]*$/.exec(name)?.[0] ?? ''
  const [first = ''] = pieces
  const last = pieces.at(-1) ?? ''
  // A shell finds hidden files only by a dot that is written, which may be in braces: they are read as `**`.
  if (start === '' && first.startsWith('.') && !name.startsWith('**')) return false
  if (pieces.length === 1) return first.startsWith(start) && first.endsWith(end)
  return isOneWay(first, start, (a, b) => a.startsWith(b)) && isOneWay(last, end, (a, b) => a.endsWith(b))
}

function isOneWay(one: string, other: string, test: (a: string, b: string) => boolean): boolean {
  return test(one, other) || test(other, one)
}
