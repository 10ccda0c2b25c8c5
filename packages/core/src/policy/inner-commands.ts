import { whatItRuns } from './running-programs.ts'
import type { Word } from './shell-word.ts'

export interface InnerCommands {
  /** Each may be one that the program runs. */
  readonly commands: readonly (readonly Word[])[]
  /** Command lines in its words. */
  readonly lines: readonly string[]
  /** Whether there are more than are looked at. */
  readonly isCut: boolean
}

const MAX_WORDS = 200

/**
 * What a program that runs others may run: `git push` in `sudo -u me git push` and in `sh -c 'git push'`. Which words are
 * the program's own is not worked out: every word may begin a command. More is found than runs, which only makes a verdict
 * stricter; a table of options that misses one would make it looser.
 */
export function innerCommands(words: readonly Word[], documents: readonly string[]): InnerCommands | undefined {
  if (whatItRuns(words) === undefined) return undefined
  const args = words.slice(1, MAX_WORDS + 1)
  const commands = args.flatMap((word, at) => {
    // `sh -c "$x"` runs what is not known; what is not known further behind is more often a plain argument.
    if (!('text' in word)) return args.slice(0, at).every(isOption) ? [args.slice(at)] : []
    if (word.text === '' || /^-|[\s=]/.test(word.text)) return []
    return [args.slice(at)]
  })
  const lines = args.flatMap((word) => ('text' in word ? linesIn(word.text) : []))
  return { commands, lines: [...lines, ...documents], isCut: words.length > args.length + 1 }
}

function isOption(word: Word): boolean {
  return 'text' in word && word.text.startsWith('-')
}

/** The text itself, what stands behind `=` (`alias.x=!git push`, `--command=git push`). */
function linesIn(text: string): string[] {
  const value = /^[^\s=]*=!?(.+)$/s.exec(text)?.[1]
  return [text, value].flatMap((line) =>
    line !== undefined && /[^\w./:@%+,-]/.test(line) ? [line.replace(/^!/, '')] : [],
  )
}
