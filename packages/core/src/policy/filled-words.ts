import { type Word, writtenWord } from './shell-word.ts'

/** The words of a command that another program puts words of its own into: the names of files, or what it reads. */
export interface FilledWords {
  readonly words: readonly Word[]
  /** Those of them that are known only when it runs. */
  readonly filled: ReadonlySet<Word>
  /** Those of them that are the program that runs. */
  readonly programs: ReadonlySet<Word>
}

const FILLING = /^(find|xargs|parallel)$/
const FIND_RUNS = /^-(exec|ok)(dir)?$/
/** `{}`, and `{.}`, `{/}`, `{1}` of parallel. */
const MARK = /\{[\w./#%+-]*\}/
/** The first letter that has a value ends the letters: `-rI%` is `-r` and `-I %`, and `-da` is `-d a`. */
const LETTERS = /^-\w*?([adeEiIjJlLnNPRsSC])(.*)$/s
/** Their value is never the next word. */
const ATTACHED_ONLY = /^[eil]$/
const REPLACING = /^[IJi]$/
const LONG = /^--([\w-]+)(?:=(.*))?$/s
/** Long options whose value may be the next word. */
const VALUED = [
  'arg-file',
  'arg-sep',
  'colsep',
  'delimiter',
  'env',
  'halt',
  'joblog',
  'jobs',
  'max-args',
  'max-chars',
  'max-procs',
  'process-slot-var',
  'results',
  'rpl',
  'sshlogin',
  'tagstring',
  'tmpdir',
  'workdir',
  'wd',
]
/** Complete options that another one begins with. */
const WITHOUT_VALUE = /^tag$/
const NUMBER = /^\d+%?$/
/** What parallel reads begins behind it. */
const SOURCE = /^:{3,4}\+?$/

/** What `find`, `xargs` and `parallel` run, with the places filled in; undefined for other programs. */
export function filledWords(name: string, args: readonly Word[]): FilledWords | undefined {
  if (!FILLING.test(name)) return undefined
  const isFind = name === 'find'
  const { marks, end } = isFind ? { marks: [], end: undefined } : ownOptions(args)
  const filled = new Set<Word>()
  const fill = (dynamic: string): Word => {
    const word = { dynamic }
    filled.add(word)
    return word
  }
  const words = args.map((word) => {
    const isFilled = 'text' in word && (MARK.test(word.text) || marks.some((mark) => word.text.includes(mark)))
    return isFilled ? fill(word.text) : word
  })
  // Behind the words that stand here come those that it reads.
  const read = isFind ? [] : [fill('…')]
  const programs = new Set(
    words.filter((_, at) => (isFind ? FIND_RUNS.test(writtenWord(args[at - 1] ?? { text: '' })) : at === end)),
  )
  // Without a command, `parallel` takes what it reads for one, where `xargs` prints it.
  const first = end === undefined ? undefined : args[end]
  if (name === 'parallel' && (!first || SOURCE.test(writtenWord(first)))) for (const word of read) programs.add(word)
  return { words: [...words, ...read], filled, programs }
}

/** Where the command begins, behind its own options, and the texts that these say are filled in. */
function ownOptions(args: readonly Word[]): { readonly marks: readonly string[]; readonly end: number } {
  const marks: string[] = []
  let end = 0
  while (end < args.length) {
    const text = writtenWord(args[end] ?? { text: '' })
    if (!/^-./.test(text) && !NUMBER.test(text)) break
    end++
    if (text === '--') break
    const option = optionOf(text)
    const value = option.takesNext ? writtenWord(args[end++] ?? { text: '' }) : option.attached
    if (option.isReplacing && value !== '') marks.push(value)
  }
  return { marks, end }
}

interface FillingOption {
  /** Whether its value is a text that is filled in. */
  readonly isReplacing: boolean
  readonly takesNext: boolean
  /** The value in the same word. */
  readonly attached: string
}

function optionOf(text: string): FillingOption {
  const [, name, given = ''] = LONG.exec(text) ?? []
  if (name !== undefined) {
    const takesNext = !text.includes('=') && !WITHOUT_VALUE.test(name) && VALUED.some((known) => known.startsWith(name))
    return { isReplacing: 'replace'.startsWith(name), takesNext, attached: given }
  }
  const [, letter = '', attached = ''] = LETTERS.exec(text) ?? []
  const takesNext = letter !== '' && attached === '' && !ATTACHED_ONLY.test(letter)
  return { isReplacing: REPLACING.test(letter), takesNext, attached }
}
