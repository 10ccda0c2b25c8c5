import { type FilledWords, filledWords } from './filled-words.ts'
import { programOf } from './program-of.ts'
import { isWrapper, whatItRuns } from './running-programs.ts'
import { type Word, writtenWord } from './shell-word.ts'

export interface InnerCommands {
  /** Each may be one that the program runs. */
  readonly commands: readonly (readonly Word[])[]
  /** Command lines in its words. */
  readonly lines: readonly InnerLine[]
  /** Whether those may be texts of another kind, such as messages. */
  readonly isProse: boolean
  /** Whether there are more than are looked at. */
  readonly isCut: boolean
}

export interface InnerLine {
  readonly text: string
  /** Whether a shell runs it for sure: `$0 push` in it is a command, and no text that has nothing to do with one. */
  readonly isRun: boolean
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
  const line = (text: string, isRun: boolean): InnerLine => ({ text, isRun })
  return {
    // As they are written, too: which words are filled in is not certain.
    commands: [...beginnings(args), ...fillings(words, args.length).flatMap((by) => beginnings(by.words, by))],
    lines: [
      ...args.flatMap((word, at) =>
        'text' in word
          ? linesIn(word.text).map((text) => line(text, name === 'eval' || isLineOfShell(words.slice(0, at + 1))))
          : [],
      ),
      ...documents.map((text) => line(text, SHELL.test(name))),
    ],
    isProse: !TAKES_LINE.test(name),
    isCut: words.length > args.length + 1,
  }
}

/** Of each program among the words that fills in others, also behind a wrapper: `sudo xargs git`. */
function fillings(words: readonly Word[], count: number): FilledWords[] {
  return words
    .slice(0, count + 1)
    .flatMap((word, at) => filledWords(programOf([word]), words.slice(at + 1, count + 1)) ?? [])
}

function beginnings(args: readonly Word[], by?: FilledWords): (readonly Word[])[] {
  return args.flatMap((word, at) => {
    if ('text' in word) return word.text === '' || /^-|[\s=]/.test(word.text) ? [] : [args.slice(at)]
    const before = args.slice(0, at)
    const isRun = by?.filled.has(word)
      ? by.programs.has(word) || isLineOfShell(before) || isWrapped(before)
      : // `sh -c "$x"` runs what is not known; what is not known further behind is more often a plain argument.
        before.every(isLead)
    return isRun ? [args.slice(at)] : []
  })
}

/** Whether a wrapper and nothing else stands right before: `env A=1`, `timeout 5` of `xargs -I{} timeout 5 {} push`. */
function isWrapped(before: readonly Word[]): boolean {
  const own = before.slice(before.findLastIndex((word) => !isLead(word)) + 1)
  return own.some((word) => isWrapper(programOf([word])))
}

/** Whether the word behind these is a line for a shell: `xargs -I{} sh -c {}`. */
function isLineOfShell(before: readonly Word[]): boolean {
  const at = before.findLastIndex((word) => SHELL.test(programOf([word])))
  const options = before.slice(at + 1).map(writtenWord)
  const isOwn = (text: string, place: number) => /^[-+]/.test(text) || SHELL_VALUED.test(options[place - 1] ?? '')
  return at >= 0 && options.every(isOwn) && options.some((text) => /^-[a-zA-Z]*c/.test(text))
}

/** Whether it may stand between a wrapper and what that runs: an option, a number, a variable, another wrapper. */
function isLead(word: Word): boolean {
  return 'text' in word && (/^-|^[\d.]+[smhd]?$|^\w+=/.test(word.text) || isWrapper(programOf([word])))
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
