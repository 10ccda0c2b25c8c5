import { CLASS, classOf, isScriptLookAlike, scriptNumber } from './character-class.ts'

/** Signs of sentences. Any other beside a word may make it a command, a path or a host. */
const SENTENCE_SIGN = /[,.:!?'"()-]/
const QUOTE = /["'«„“‘]/g
const COMMENT = new Set(['#', '//'])
const CAPITAL = /^\P{L}*\p{Lu}\P{Lu}*$/u
/** How many words are looked at beyond one. */
const NEAR = 4

/** What stands between two spaces: words of a script, numbers or Latin words, or something that is in no sentence. */
interface Chunk {
  readonly start: number
  readonly end: number
  readonly kind: 'words' | 'between' | 'other'
  /** Scripts, as bits: those in it, those beyond doubt, and those of which its doubtful words may be. */
  readonly scripts: number
  readonly sure: number
  readonly own: number
}

/**
 * Tells whether words that are made wholly of letters which look like Latin ones stand in a sentence of their own script:
 * `а с ним`. Where a shell would take one for a command, a path or a host, nobody could tell it from the Latin one (T25).
 * Places are to be given in the order of the text: then each part of it is looked at a few times at most.
 */
export function createProse(text: string, isPiece: boolean): (at: number, script: number) => boolean {
  const firstLine = isPiece ? text.split('\n', 1)[0]?.length : 0
  /** The last chunk that was judged, and the scripts that it stands in a sentence of. */
  let judged: { readonly chunk: Chunk; readonly scripts: number } | undefined

  function sentenceOf(chunk: Chunk): number {
    if (chunk.kind !== 'words' || chunk.own !== 0) return chunk.own
    const before = neighbour(chunk, chunkBefore)
    // Of a piece the beginning is in the middle of the whole.
    if (!before && chunk.start < (firstLine ?? 0)) return chunk.scripts
    const earlier = before && before.start === judged?.chunk.start ? judged.scripts : 0
    const goesOn = before?.kind === 'words' ? (before.sure | earlier) & chunk.scripts : 0
    return goesOn || (begins(chunk) ? goesTo(chunk) : 0)
  }

  /** As sentences do, in quotes, or as a comment. */
  function begins(chunk: Chunk): boolean {
    const shown = text.slice(chunk.start, chunk.end)
    const quotes = [...shown.matchAll(QUOTE)]
    if (CAPITAL.test(shown) || (quotes.length === 1 && quotes[0]?.index === 0)) return true
    const before = chunkBefore(chunk)
    return before !== undefined && COMMENT.has(text.slice(before.start, before.end))
  }

  /** The scripts of the next word that is beyond doubt. */
  function goesTo(chunk: Chunk): number {
    let next = neighbour(chunk, chunkAfter)
    for (let steps = 1; steps < NEAR && next?.kind === 'words' && next.sure === 0; steps++)
      next = neighbour(next, chunkAfter)
    return next?.kind === 'words' ? next.sure & chunk.scripts : 0
  }

  /** The next chunk on the line, beyond a few numbers, dashes and Latin words. */
  function neighbour(chunk: Chunk, step: (from: Chunk) => Chunk | undefined): Chunk | undefined {
    let found = step(chunk)
    for (let steps = 1; steps < NEAR && found?.kind === 'between'; steps++) found = step(found)
    return found
  }

  function chunkBefore({ start }: Chunk): Chunk | undefined {
    let end = start
    while (text[end - 1] === ' ') end--
    return end === 0 || isSpace(text, end - 1) ? undefined : chunkAt(text, end - 1)
  }

  function chunkAfter({ end }: Chunk): Chunk | undefined {
    let start = end
    while (text[start] === ' ') start++
    return start >= text.length || isSpace(text, start) ? undefined : chunkAt(text, start)
  }

  return (at, script) => {
    if (!judged || at >= judged.chunk.end) {
      const chunk = chunkAt(text, at)
      judged = { chunk, scripts: sentenceOf(chunk) }
    }
    return (judged.scripts & (1 << script)) !== 0
  }
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20
}

function chunkAt(text: string, at: number): Chunk {
  let start = at
  while (start > 0 && !isSpace(text, start - 1)) start--
  let end = at + 1
  while (end < text.length && !isSpace(text, end)) end++
  let scripts = 0
  let sure = 0
  let isMixed = false
  let isOther = false
  for (let place = start; place < end; ) {
    const codePoint = text.codePointAt(place) as number
    place += codePoint > 0xffff ? 2 : 1
    const kind = classOf(codePoint)
    const script = scriptNumber(kind)
    if (script >= 0) {
      scripts |= 1 << script
      if (!isScriptLookAlike(kind)) sure |= 1 << script
    } else if (kind === CLASS.latin || (codePoint >= 0x30 && codePoint <= 0x39)) isMixed = true
    else if (codePoint < 0x80 && !SENTENCE_SIGN.test(String.fromCodePoint(codePoint))) isOther = true
  }
  if (isOther || (isMixed && scripts !== sure)) return { start, end, kind: 'other', scripts, sure, own: 0 }
  return { start, end, kind: scripts === 0 ? 'between' : 'words', scripts, sure, own: isMixed ? 0 : sure }
}
