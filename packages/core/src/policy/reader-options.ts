import { type Word, writtenWord } from './shell-word.ts'

/** What a program takes of which it is known that it only reads and prints. */
export interface Reader {
  /** Whether every option is harmless. */
  readonly anyOption?: true
  /** Whether a glob may even become an option: none does harm, though not all are known. */
  readonly anyGlob?: true
  /**
   * The options that are known, parted by spaces: `-a`, `--all` without a value; `-e:text`, `--include=text` with one;
   * `-n?text`, `--color?text` with one that stands in the same word or not at all. `text` says nothing of a place, `file`
   * does. `-#` is any number. Long names are never shortened.
   */
  readonly options?: string
  /** Whether each option is a word of its own, also a long one with one dash, as those of find are: letters are not joined. */
  readonly oneDash?: true
  /** What its other words are; files unless it says so. `text-first`: the first one is text, the others files. */
  readonly words?: 'text' | 'text-first' | 'none'
  /** What has to come first of all: before another word, or an option, the program may do something else. */
  readonly first?: readonly string[]
  /** Options that stand in for the first text. */
  readonly instead?: readonly string[]
  /** Whether these words and options are not known to only read; `all` is everything behind the name, as it is written. */
  readonly refuses?: (words: readonly string[], options: ReadonlySet<string>, all: readonly string[]) => boolean
}

interface Option {
  readonly value: 'none' | 'text' | 'file'
  /** Whether the value may be left out; it then never is the next word. */
  readonly isOptional: boolean
}

/** Which words, by their place, are files; or the option that is not known. */
export type ReaderWords = { readonly files: ReadonlySet<number> } | { readonly notKnown: string }

const parsed = new WeakMap<Reader, ReadonlyMap<string, Option>>()

function optionsOf(reader: Reader): ReadonlyMap<string, Option> {
  const known = parsed.get(reader)
  if (known) return known
  const options = new Map<string, Option>()
  for (const written of (reader.options ?? '').split(/\s+/)) {
    const [, name = '', mark, value] = /^(-[^:=?]+)(?:([:=?])(text|file))?$/.exec(written) ?? []
    if (name === '') continue
    options.set(name, { value: value === 'text' || value === 'file' ? value : 'none', isOptional: mark === '?' })
  }
  parsed.set(reader, options)
  return options
}

/** Whether an option stands behind the first word: to some systems and programs it is a word itself. */
export function hasLateOption([first]: readonly string[], all: readonly string[]): boolean {
  return first !== undefined && all.slice(all.indexOf(first) + 1).some((text) => /^-./.test(text))
}

/** Reads the words behind a program's name. */
export function readerWords(reader: Reader, args: readonly Word[]): ReaderWords {
  const options = optionsOf(reader)
  const [start] = args
  if (reader.first && !(start && 'text' in start && reader.first.includes(start.text))) {
    return { notKnown: start ? writtenWord(start) : '' }
  }
  const files = new Set<number>()
  const given = new Set<string>()
  const plain: number[] = []
  let isBehindOptions = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (!word || 'dynamic' in word) return { notKnown: word ? writtenWord(word) : '' }
    // `--include=*.ts`: whatever files it finds, each is that option with another text.
    if ('glob' in word && !isBehindOptions && isTextOption(word.prefix, options)) continue
    if ('glob' in word || isBehindOptions || !/^-./.test(word.text)) plain.push(at)
    // Behind it find takes what deletes and runs all the same.
    else if (word.text === '--' && !reader.oneDash) isBehindOptions = true
    else if (reader.anyOption) {
      if (reader.words !== 'text') files.add(at)
    } else {
      const read = readOption(word.text, options, reader.oneDash === true)
      if (!read) return { notKnown: word.text }
      for (const name of read.names) given.add(name)
      if (read.takes === 'next') {
        at++
        const value = args[at]
        // A glob may become several words. And what looks like an option is one to some versions of a program.
        if (!value || !('text' in value) || /^-\D/.test(value.text)) return { notKnown: word.text }
        // Some systems read no options behind the first word: to them `head a -n /etc/x` names three files.
        if (plain.length > 0 && reader.words !== 'text') files.add(at)
      }
      if (read.isFile) files.add(at)
    }
  }
  // What is looked at more closely has to be there: a glob may become other words, and several.
  const [first] = plain
  const isFirstGlob = first !== undefined && 'glob' in (args[first] ?? {})
  if (isFirstGlob && reader.refuses) return { notKnown: writtenWord(args[first] ?? { text: '' }) }
  const texts = plain.map((at) => writtenWord(args[at] ?? { text: '' }))
  if (reader.words === 'none' && texts.length > 0) return { notKnown: texts[0] ?? '' }
  if (reader.refuses?.(texts, given, args.map(writtenWord))) return { notKnown: [...given, ...texts].join(' ') }
  const isTextFirst = reader.words === 'text-first' && !reader.instead?.some((name) => given.has(name))
  for (const at of plain.slice(isTextFirst ? 1 : 0)) {
    const word = args[at]
    if (reader.words !== 'text' || (word && 'glob' in word)) files.add(at)
  }
  // What a glob stands for may be many words.
  if (isTextFirst && isFirstGlob) files.add(first)
  return { files }
}

function isTextOption(prefix: string, options: ReadonlyMap<string, Option>): boolean {
  const name = /^(--[\w-]+)=/.exec(prefix)?.[1]
  return name !== undefined && options.get(name)?.value === 'text'
}

interface ReadOption {
  readonly names: readonly string[]
  readonly takes: 'nothing' | 'next'
  readonly isFile: boolean
}

function readOption(text: string, options: ReadonlyMap<string, Option>, oneDash: boolean): ReadOption | undefined {
  if (text.startsWith('--') || oneDash) {
    const equals = text.indexOf('=')
    const name = equals < 0 || oneDash ? text : text.slice(0, equals)
    const option = options.get(name)
    if (!option || (equals >= 0 && option.value === 'none')) return undefined
    const isNext = option.value !== 'none' && !option.isOptional && (equals < 0 || oneDash)
    return { names: [name], takes: isNext ? 'next' : 'nothing', isFile: option.value === 'file' }
  }
  if (/^-\d+$/.test(text) && options.has('-#')) return { names: ['-#'], takes: 'nothing', isFile: false }
  const names: string[] = []
  for (let at = 1; at < text.length; at++) {
    const name = `-${text.charAt(at)}`
    const option = options.get(name)
    if (!option) return undefined
    names.push(name)
    if (option.value === 'none') continue
    const hasValue = at + 1 < text.length
    // A file's name in the same word is not told apart from its option.
    if (option.value === 'file' && hasValue) return undefined
    return { names, takes: hasValue || option.isOptional ? 'nothing' : 'next', isFile: option.value === 'file' }
  }
  return { names, takes: 'nothing', isFile: false }
}
