/** One segment of a pattern for paths: `**`, or texts with any characters between them. */
export type PatternSegment = { readonly anyDepth: true } | { readonly pieces: readonly string[] }

export interface PathPattern {
  readonly base: 'project' | 'home' | 'root'
  readonly segments: readonly PatternSegment[]
  /** Whether it is a single name: what asks or denies then means it in every folder, as `.gitignore` does. */
  readonly isName: boolean
}

/** How a pattern is read: by what allows as narrow, by what asks or denies as wide as people may mean it. */
export interface PathReading {
  /** Whether `*` and `**` stand for names that begin with a dot. */
  readonly hidden: boolean
  /** Whether what lies below a path that fits does too. */
  readonly below: boolean
}

const MAX_SEGMENTS = 64
/** More than any file system gives. */
const MAX_PATH_SEGMENTS = 256

/** `src/**`, `/src/*.ts`, `~/notes/**`, `//etc/hosts`; or one plain sentence. */
export function parsePathPattern(text: string): PathPattern | { readonly error: string } {
  const [base, rest] = baseOf(text)
  if (/^~/.test(rest)) return { error: 'Write a slash after ~, as in ~/notes.' }
  const names = rest.replace(/^\.\//, '').split('/')
  if (names.length > MAX_SEGMENTS) return { error: `A path can have at most ${MAX_SEGMENTS} parts.` }
  const segments: PatternSegment[] = []
  for (const name of names) {
    if (name === '')
      return {
        error: 'A path cannot have two slashes in a row, or a slash at its end. Write src/** for all files in src.',
      }
    if (name === '.' || name === '..') return { error: 'A path cannot contain . or .. as a part.' }
    const segment = name === '**' ? { anyDepth: true as const } : segmentOf(name)
    if ('error' in segment) return segment
    segments.push(segment)
  }
  return { base, segments, isName: names.length === 1 && base === 'project' && !text.startsWith('/') }
}

/** A path as a pattern that stands for it alone. */
export function escapedPath(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&')
}

function baseOf(text: string): [PathPattern['base'], string] {
  if (text.startsWith('//')) return ['root', text.slice(2)]
  if (text.startsWith('~/')) return ['home', text.slice(2)]
  return ['project', text.startsWith('/') ? text.slice(1) : text]
}

function segmentOf(name: string): PatternSegment | { readonly error: string } {
  const pieces = ['']
  for (let at = 0; at < name.length; at++) {
    const character = name.charAt(at)
    if (character === '*' && name.charAt(at + 1) === '*') return { error: '** must be alone between slashes.' }
    if ('?[]{}!'.includes(character))
      return { error: `The only wildcards are * and **. Write \\${character} for the character itself.` }
    if (character === '*') pieces.push('')
    else {
      if (character === '\\') at++
      if (at >= name.length) return { error: 'After \\ there must be the character that it escapes.' }
      pieces.push((pieces.pop() ?? '') + name.charAt(at))
    }
  }
  return { pieces }
}

/**
 * Whether a path, by its names, fits. Linear for each run between two `**`, which are searched from left to right: an
 * earlier place for a run never makes the rest harder to fit, so nothing is tried twice (T49).
 */
export function fitsPath(
  pattern: readonly PatternSegment[],
  names: readonly string[],
  reading: PathReading,
  onCompare?: () => void,
): boolean {
  // What no file system has is not allowed; what asks or denies takes it for its own.
  if (names.length > MAX_PATH_SEGMENTS) return reading.below
  const runs = runsOf(pattern)
  const fits = (run: Run, at: number) =>
    run.every((segment, place) => {
      onCompare?.()
      return fitsName(segment, names[at + place] ?? '', reading.hidden)
    })
  const isSkippable = (from: number, to: number) =>
    reading.hidden || names.slice(from, to).every((name) => !name.startsWith('.'))

  const [first = [], ...later] = runs
  if (first.length > names.length || !fits(first, 0)) return false
  let at = first.length
  const last = later.pop()
  if (!last) return at === names.length || reading.below
  for (const run of later) {
    const place = search(run, at, names.length - run.length, fits)
    if (place === undefined || !isSkippable(at, place)) return false
    at = place + run.length
  }
  if (reading.below) {
    const place = search(last, at, names.length - last.length, fits)
    return place !== undefined && isSkippable(at, place)
  }
  const end = names.length - last.length
  // `src/**` is what lies in src, not src itself.
  if (end < at || (last.length === 0 && end === at)) return false
  return isSkippable(at, end) && fits(last, end)
}

type Run = readonly { readonly pieces: readonly string[] }[]

function runsOf(pattern: readonly PatternSegment[]): Run[] {
  const runs: { readonly pieces: readonly string[] }[][] = [[]]
  for (const segment of pattern) {
    if ('anyDepth' in segment) runs.push([])
    else runs.at(-1)?.push(segment)
  }
  return runs
}

function search(run: Run, from: number, to: number, fits: (run: Run, at: number) => boolean): number | undefined {
  for (let at = from; at <= to; at++) if (fits(run, at)) return at
  return undefined
}

/** Whether one name fits. */
export function fitsName({ pieces }: Run[number], name: string, hidden: boolean): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!hidden && first === '' && name.startsWith('.')) return false
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const place = name.indexOf(piece, at)
    if (place < 0) return false
    at = place + piece.length
  }
  return at <= name.length - last.length
}
