import { type Word, writtenWord } from './shell-word.ts'

/** The words of a command that another program puts words of its own into: the names of files, or what it reads. */
export interface FilledWords {
  readonly words: readonly Word[]
  /** Those of them that are known only when it runs. */
  readonly filled: ReadonlySet<Word>
  /** Whether the first word is the program that runs. */
  readonly isCommand: boolean
}

const FILLING = /^(find|xargs|parallel)$/
/** `{}`, and `{.}`, `{/}`, `{1}` of parallel. */
const MARK = /\{[\w./#%+-]*\}/
/** Options whose value is the next word. */
const VALUED = /^-\w*[adEIJLnPRsS]$/
const NUMBER = /^\d+%?$/

/** What `find`, `xargs` and `parallel` run, with the places filled in; undefined for other programs. */
export function filledWords(name: string, args: readonly Word[]): FilledWords | undefined {
  if (!FILLING.test(name)) return undefined
  const isCommand = name !== 'find'
  const { marks, end } = isCommand ? ownOptions(args) : { marks: [], end: 0 }
  const filled = new Set<Word>()
  const fill = (dynamic: string): Word => {
    const word = { dynamic }
    filled.add(word)
    return word
  }
  const words = args.slice(end).map((word) => {
    const isFilled = 'text' in word && (MARK.test(word.text) || marks.some((mark) => word.text.includes(mark)))
    return isFilled ? fill(word.text) : word
  })
  // Behind the words that stand here come those that it reads.
  return { words: isCommand ? [...words, fill('…')] : words, filled, isCommand }
}

/** What stands in front of the command, and the texts that `-I` says are filled in. */
function ownOptions(args: readonly Word[]): { readonly marks: readonly string[]; readonly end: number } {
  const marks: string[] = []
  let end = 0
  while (end < args.length) {
    const text = writtenWord(args[end] ?? { text: '' })
    if (!/^-./.test(text) && !NUMBER.test(text)) break
    end++
    if (text === '--') break
    const next = VALUED.test(text) ? args[end++] : undefined
    const attached = /^(?:-\w*?[IJi]|--replace=)(.+)$/s.exec(text)?.[1]
    const mark = attached ?? (next && /[IJ]$/.test(text) ? writtenWord(next) : undefined)
    if (mark !== undefined && mark !== '') marks.push(mark)
  }
  return { marks, end: Math.min(end, args.length) }
}
