import { programOf } from './program-of.ts'
import { readingWords } from './reading-programs.ts'
import { whatItRuns } from './running-programs.ts'
import type { Word } from './shell-word.ts'

/** Programs that change files by their names, and run nothing. */
const CHANGES_FILES = /^(touch|mkdir|rmdir|cp|mv|rm|ln|chmod|chown|chgrp|tee|truncate|mktemp|install|dd|shred)$/
/** Their words may be a program in a language that is not read here. */
const HAS_CODE =
  /^(node|nodejs|deno|bun|tsx|python|pypy|perl|ruby|php|lua|luajit|tclsh|Rscript|julia|osascript|[gmn]?awk)[\d.]*$/
const MAX_WORDS = 200
/** Of one command. Rules name its first few. */
const MAX_COMMAND = 64

/**
 * Commands that a program may run of which it is not known that it runs any: `git push` in `mytool git push`. Nobody knows
 * all wrappers. What is found here only ever leads to an ask.
 */
export function guessedCommands(words: readonly Word[]): readonly (readonly Word[])[] {
  const name = programOf(words)
  const args = words.slice(1, MAX_WORDS + 1)
  if (HAS_CODE.test(name)) return args.flatMap((word) => ('text' in word ? endings(namesIn(word.text)) : []))
  const read = readingWords(words)
  if (whatItRuns(words) !== undefined || (read && 'files' in read) || CHANGES_FILES.test(name)) return []
  const lines = args.flatMap((word) => ('text' in word && /\s/.test(word.text) ? [namesIn(word.text)] : []))
  return [...endings(args), ...lines]
}

function endings(words: readonly Word[]): (readonly Word[])[] {
  return words.map((_, at) => words.slice(at, at + MAX_COMMAND))
}

function namesIn(text: string): Word[] {
  return text.split(/[^\w./@:=+-]+/).flatMap((name) => (name === '' ? [] : [{ text: name }]))
}
