import { classOf, isScriptLookAlike, SCRIPTS, scriptNumber } from './character-class.ts'

const WORD = /[\p{L}\p{M}]+/gu
const LATIN = /\p{Script=Latin}/u
/** A word as sentences have it. Any other sign in it or beside it may make it a command, a path or a host. */
const IN_SENTENCE = /^["'«„“‘(]*[\p{L}\p{M}\p{Nd}]+(?:-[\p{L}\p{M}\p{Nd}]+)*["'»“”’),.:;!?…]*$/u
const LATIN_OR_DIGIT = /[\p{Script=Latin}0-9]/u

/**
 * Tells whether words that are made wholly of letters which look like Latin ones stand in a sentence of their own script:
 * `а с ним`. That is a line with more words beyond doubt of that script than Latin ones; of a piece of a text, whose lines
 * go on elsewhere, the scripts of the whole are given. Places are to be given in the order of the text: then each part of
 * it is looked at once.
 */
export function createProse(text: string, ofWhole: number | undefined): (at: number, script: number) => boolean {
  let line = { end: -1, scripts: 0 }
  let chunk = { end: -1, isWord: false }
  return (at, script) => {
    if (at >= line.end) line = lineAt(text, at, ofWhole)
    if ((line.scripts & (1 << script)) === 0) return false
    if (at >= chunk.end) chunk = chunkAt(text, at)
    return chunk.isWord
  }
}

function chunkAt(text: string, at: number): { end: number; isWord: boolean } {
  let start = at
  while (start > 0 && text.charCodeAt(start - 1) > 0x20) start--
  let end = at + 1
  while (text.charCodeAt(end) > 0x20) end++
  const chunk = text.slice(start, end)
  return { end, isWord: IN_SENTENCE.test(chunk) && !LATIN_OR_DIGIT.test(chunk) }
}

function lineAt(text: string, at: number, ofWhole: number | undefined): { end: number; scripts: number } {
  if (ofWhole !== undefined) return { end: text.length, scripts: ofWhole }
  const start = text.lastIndexOf('\n', at) + 1
  const next = text.indexOf('\n', at)
  const end = next < 0 ? text.length : next
  return { end, scripts: scriptsOf(text.slice(start, end)) }
}

/** The scripts, as bits, of which a text has more words beyond doubt than it has Latin ones. */
export function scriptsOf(text: string): number {
  const words = SCRIPTS.map(() => 0)
  let latin = 0
  for (const [word] of text.matchAll(WORD)) {
    if (LATIN.test(word)) latin++
    else {
      const script = sureScript(word)
      if (script !== undefined) words[script] = (words[script] ?? 0) + 1
    }
  }
  return words.reduce((bits, count, script) => (count > latin ? bits | (1 << script) : bits), 0)
}

function sureScript(word: string): number | undefined {
  for (const letter of word) {
    const kind = classOf(letter.codePointAt(0) as number)
    const script = scriptNumber(kind)
    if (script >= 0 && !isScriptLookAlike(kind)) return script
  }
  return undefined
}
