import { type FilledWords, filledWords } from './filled-words.ts'
import { programOf } from './program-of.ts'
import { whatItRuns } from './running-programs.ts'
import { type Word, writtenWord } from './shell-word.ts'

export interface InnerCommands {
  /** Each may be one that the program runs. */
  readonly commands: readonly (readonly Word[])[]
  /** Command lines in its words. */
  readonly lines: readonly string[]
  /** Whether those may be texts of another kind, such as messages. */
  readonly isProse: boolean
  /** Whether there are more than are looked at. */
  readonly isCut: boolean
}

const MAX_WORDS = 200
/** Of these, a text is a command line. */
const TAKES_LINE =
  /^(\w*sh|busybox|toybox|eval|trap|source|\.|env|su|runuser|script|flock|watch|xargs|parallel|at|batch|alias)$/
const SHELL = /^(ba|da|z|k|mk|fi|c|tc|a|rba)?sh$/
/** Options of a shell whose value is the next word. */
const SHELL_VALUED = /^([-+][a-zA-Z]*[oO]|--(rcfile|init-file))$/

/**
 * What a program that runs others may run: `git push` in `sudo -u me git push` and in `sh -c 'git push'`. Which words are
 * the program's own is not worked out: every word may begin a command. More is found than runs, which only makes a verdict
 * stricter; a table of options that misses one would make it looser.
 */
export function innerCommands(words: readonly Word[], documents: readonly string[]): InnerCommands | undefined {
  if (whatItRuns(words) === undefined) return undefined
  const name = programOf(words)
  const args = words.slice(1, MAX_WORDS + 1)
  const filled = filledWords(name, args)
  return {
    // As they are written, too: which words are filled in is not certain.
    commands: [...beginnings(args), ...(filled ? beginnings(filled.words, filled) : [])],
    lines: [...args.flatMap((word) => ('text' in word ? linesIn(word.text) : [])), ...documents],
    isProse: !TAKES_LINE.test(name),
    isCut: words.length > args.length + 1,
  }
}

function beginnings(args: readonly Word[], by?: FilledWords): (readonly Word[])[] {
  return args.flatMap((word, at) => {
    if ('text' in word) return word.text === '' || /^-|[\s=]/.test(word.text) ? [] : [args.slice(at)]
    const isRun = by?.filled.has(word)
      ? by.programs.has(word) || isLineOfShell(args.slice(0, at))
      : // `sh -c "$x"` runs what is not known; what is not known further behind is more often a plain argument.
        args.slice(0, at).every(isOption)
    return isRun ? [args.slice(at)] : []
  })
}

/** Whether the word behind these is a line for a shell: `xargs -I{} sh -c {}`. */
function isLineOfShell(before: readonly Word[]): boolean {
  const at = before.findLastIndex((word) => SHELL.test(programOf([word])))
  const options = before.slice(at + 1).map(writtenWord)
  const isOwn = (text: string, place: number) => /^[-+]/.test(text) || SHELL_VALUED.test(options[place - 1] ?? '')
  return at >= 0 && options.every(isOwn) && options.some((text) => /^-[a-zA-Z]*c/.test(text))
}

function isOption(word: Word): boolean {
  return 'text' in word && word.text.startsWith('-')
}

/** The text itself, what stands behind `=` (`alias.x=!git push`, `--command=git push`) or behind letters (`-qc'git push'`). */
function linesIn(text: string): string[] {
  const value = /^[^\s=]*=!?(.+)$/s.exec(text)?.[1]
  const alias = /^alias\.[^=]*=([^!].*)$/s.exec(text)?.[1]
  const attached = /^-[^-]/.test(text) ? [2, 3, 4].map((at) => text.slice(at)) : []
  return [text, value, alias && `git ${alias}`, ...attached].flatMap((line) =>
    line !== undefined && /[^\w./:@%+,-]/.test(line) ? [line.replace(/^!/, '')] : [],
  )
}

/** Whether a shell takes the commands that it runs from what it reads: no script, and no line in its words. */
export function readsCommands(words: readonly Word[]): boolean {
  const args = words.slice(1)
  const texts = args.map(writtenWord)
  if (/^(source|\.)$/.test(programOf(words))) return /^(-|\/dev\/(stdin|fd\/0))$/.test(texts[0] ?? '')
  if (!SHELL.test(programOf(words)) || texts.some((text) => /^-[a-z]*c/.test(text))) return false
  return texts.some((text) => /^-[a-z]*s/.test(text)) || texts.every((text) => /^-|^\/dev\/(stdin|fd\/0)$/.test(text))
}
