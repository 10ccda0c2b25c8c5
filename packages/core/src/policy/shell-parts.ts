import {
  type Command,
  type CommandNode,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from 'unbash'
import { joinPath } from '../shell/join-path.ts'
import { inCode } from './in-code.ts'
import { type InnerLine, innerCommands, readsCommands } from './inner-commands.ts'
import { isReadAs } from './is-read-as.ts'
import { nestsDeeply } from './nests-deeply.ts'
import { foldersAfter, isMove, type PossibleFolders, startingIn, type Turn } from './possible-folders.ts'
import { shapeOf } from './shell-shape.ts'
import { type Word, writtenWord } from './shell-word.ts'
import { wordOf } from './syntax-word.ts'

export interface CommandPart {
  readonly type: 'command'
  /** As people read it. */
  readonly text: string
  readonly words: readonly Word[]
  /** Absolute; undefined if it is not certain where it runs. */
  readonly folder: string | undefined
  /** Where else it may run if that is not certain; left out if it may be anywhere. */
  readonly mayRunIn?: readonly string[]
  /** Found in a substitution, or behind a program that runs it: it can only make a verdict stricter. */
  readonly isInner: boolean
  /** Found in a text that is no command line for sure, such as a message. */
  readonly isProse?: true
  /** Whether it reads what another program prints, or a file by `<`. */
  readonly isFed: boolean
}

export interface RedirectPart {
  readonly type: 'redirect'
  readonly text: string
  readonly use: 'read' | 'write'
  /** Absolute; undefined if not known. */
  readonly path: string | undefined
  /** Found behind a program that runs it. */
  readonly isInner?: true
  /** Its name, perhaps with a glob, seen from a folder that is not certain. */
  readonly name?: string
  /** What that folder may be; left out if it may be any. */
  readonly mayRunIn?: readonly string[]
  /** Whether the path is certain: no `..`, which leads elsewhere behind a link, and no folder that is not known. */
  readonly isSure: boolean
}

export type ShellPart = CommandPart | RedirectPart

export interface ShellParts {
  readonly parts: readonly ShellPart[]
  /** The first reason why no rule can allow this syntax: one plain sentence. */
  readonly unknown?: string
  /** Whether there may be commands in it that are not among the parts. */
  readonly isUnread: boolean
  /** Whether that is because it is too long. */
  readonly isCut?: true
}

/** More than this is not even searched for what may be denied. */
const MAX_READ = 100_000
const TOO_LONG = 'The command is too long to be judged.'
/** In all parts together, and in lines inside of lines. */
const MAX_WORDS = 25_000
/** Words, each seen from every folder that its command may run in. */
const MAX_PLACES = 20_000
const MAX_PARTS = 2000
/** Commands in the words of commands in the words of commands. */
const MAX_DEPTH = 4

interface Reading {
  readonly parts: ShellPart[]
  readonly depth: number
  /** What may still be read of the whole line, so that a hostile one takes no longer than others (T49). */
  readonly left: { words: number; characters: number }
  /** Where the next command may run. */
  folders: PossibleFolders
  why: string | undefined
  isUnread: boolean
}

interface Place {
  /** The text that positions refer to. */
  readonly source: string
  readonly folder: string | undefined
  readonly isInner: boolean
  readonly isFed: boolean
  readonly home: string | undefined
  readonly turn: Turn
}

/**
 * Takes a command line apart, as a shell would. Nothing is run. `cwd` is where the line starts, canonical; `home` is what
 * `~` stands for.
 */
export function shellParts(line: string, cwd: string | undefined, home?: string): ShellParts {
  const place: Place = { source: line, folder: cwd, isInner: false, isFed: false, home, turn: 'once' }
  // A line inside of another is read in several ways.
  const isReadable = line.length <= MAX_READ && !nestsDeeply(line)
  const left = { words: MAX_WORDS, characters: isReadable ? 3 * MAX_READ : 0 }
  const read = partsAt(line, place, { depth: 0, folders: startingIn(cwd, line), left })
  if (left.words >= 0 && left.characters >= 0) return read
  return { ...read, unknown: read.unknown ?? TOO_LONG, isUnread: true, isCut: true }
}

function partsAt(line: string, place: Place, start: Pick<Reading, 'depth' | 'folders' | 'left'>): ShellParts {
  const shape = shapeOf(line)
  const shapeWhy = 'why' in shape ? shape.why : undefined
  start.left.characters -= line.length
  if (start.left.characters < 0) return { parts: [], unknown: shapeWhy ?? TOO_LONG, isUnread: true }
  const reading: Reading = { ...start, parts: [], why: undefined, isUnread: false }
  try {
    const script = parse(line)
    statements(script, place, reading)
    // Two readers have to agree, word by word.
    if ('tokens' in shape && !isReadAs(script, shape.tokens)) reading.why ??= 'The command can be read in two ways.'
  } catch (error) {
    // The parser recurses: what is nested too deep for it is nothing that a person reads either. Whatever else it
    // throws at a hostile line, nothing is allowed then.
    const why =
      error instanceof RangeError ? 'The command is nested too deeply to be read.' : 'The command cannot be read.'
    return { parts: placed(reading), unknown: shapeWhy ?? why, isUnread: true }
  }
  if (reading.parts.length > MAX_PARTS) reading.why ??= 'The command has too many parts to be judged.'
  const unknown = shapeWhy ?? reading.why
  return { parts: placed(reading), ...(unknown !== undefined && { unknown }), isUnread: reading.isUnread }
}

/**
 * The parts, with the folders that they may run in. Of the whole line: what stands in a function or a trap runs later than
 * where it is written.
 */
function placed({ parts, folders: { all } }: Reading): readonly ShellPart[] {
  const open = parts.filter((part) => (part.type === 'command' ? part.folder === undefined : part.name !== undefined))
  const words = open.reduce((sum, part) => sum + (part.type === 'command' ? part.words.length : 1), 0)
  const isAnywhere = !all || all.length * words > MAX_PLACES
  const isOpen = new Set(open)
  return parts.map((part) => {
    const { mayRunIn: _, ...rest } = part
    return isAnywhere || !isOpen.has(part) ? rest : { ...rest, mayRunIn: all }
  })
}

function statements(
  script: { commands: readonly Statement[] } & Partial<ParsedScript>,
  place: Place,
  reading: Reading,
) {
  if (script.errors?.length) {
    reading.why ??= 'The command cannot be parsed.'
    reading.isUnread = true
  }
  let { folder } = place
  for (const { command, background } of script.commands) {
    if (background) reading.why ??= '`&` runs a command in the background.'
    folder = statement(command, { ...place, folder }, reading)
  }
}

/** Gives the folder of what follows. */
function statement(given: Statement['command'], place: Place, reading: Reading): string | undefined {
  const chain = given.type === 'AndOr' ? given : { commands: [given], operators: [] }
  let { folder } = place
  let hasMoved = false
  chain.commands.forEach((node, at) => {
    const isBehindOr = chain.operators[at - 1] === '||'
    // A `cd` before it may have worked or failed.
    if (isBehindOr && hasMoved) folder = undefined
    const target = pipeline(node, { ...place, folder }, reading)
    if (target === undefined) return
    // Stricter than bash, which stays where it is when `cd` stands in a pipe: zsh moves with the last one of it. And
    // behind `||` a `cd` may or may not be made.
    folder = 'moves' in target && !isBehindOr && !chain.operators.slice(0, at).includes('||') ? target.moves : undefined
    hasMoved = true
  })
  return hasMoved ? undefined : folder
}

type Move = { readonly moves: string | undefined } | { readonly lost: true } | undefined

function pipeline(given: PipelineNode, place: Place, reading: Reading): Move {
  if (given.type !== 'Pipeline') return node(given, place, reading)
  if (given.prefixes.some(({ type }) => type === 'Time')) reading.why ??= '`time` cannot be allowed by a rule.'
  const moves = given.commands.map((each, at) => node(each, { ...place, isFed: place.isFed || at > 0 }, reading))
  return moves.some((move) => move !== undefined) ? { lost: true } : undefined
}

function node(given: CommandNode, place: Place, reading: Reading): Move {
  if (given.type === 'Command') return command(given, place, reading)
  reading.why ??= `${SHAPES[given.type] ?? 'This'} cannot be allowed by a rule.`
  // What stands in a loop or a function runs in folders that are not known once anything in it moves.
  found(given, { ...place, folder: undefined, turn: turnOf(given, place.turn) }, reading)
  return { lost: true }
}

function turnOf({ type }: SyntaxNode, turn: Turn): Turn {
  if (type === 'Function' || turn === 'later') return 'later'
  if (/^(For|ArithmeticFor|Select|While)$/.test(type)) return 'again'
  // A `cd` in it ends with it.
  return type === 'Subshell' ? 'once' : turn
}

const SHAPES: Readonly<Record<string, string>> = {
  Subshell: 'A command in `( … )`',
  BraceGroup: 'A command in `{ … }`',
  Function: 'A function',
  If: '`if`',
  For: '`for`',
  ArithmeticFor: '`for`',
  Select: '`select`',
  While: 'A loop',
  Case: '`case`',
  TestCommand: '`[[ … ]]`',
  ArithmeticCommand: '`(( … ))`',
  Coproc: '`coproc`',
  Redirected: 'A redirection of several commands',
}

/** Every command below a node, at any depth. */
function found(given: SyntaxNode, place: Place, reading: Reading) {
  if (given.type === 'Redirected') redirects(given.redirects, place, reading)
  forEachChild(given, (child) => {
    if (child.type === 'Command') command(child, place, reading)
    else if ('script' in child) substituted(child.script, place, reading)
    else found(child, { ...place, turn: turnOf(child, place.turn) }, reading)
  })
}

function substituted(script: ParsedScript | undefined, place: Place, reading: Reading) {
  if (!script) reading.isUnread = true
  // The texts of commands in escaped backticks stand in a source of their own.
  else statements(script, { ...place, isInner: true, source: script.source ?? place.source }, reading)
}

function command(given: Command, place: Place, reading: Reading): Move {
  const { name, args, prefix } = given
  found(given, place, reading)
  redirects(given.redirects, place, reading)
  if (prefix.some(({ type }) => type === 'Assignment')) reading.why ??= 'A variable is set before the command.'
  if (!name) {
    reading.why ??= 'There is a redirection or a variable without a command.'
    return undefined
  }
  if (args.some(({ type }) => type === 'Assignment')) reading.why ??= `${inCode(name.text)} sets a variable.`
  // Stricter than its words: `'git'` and `\git` are git, but nobody has a reason to write it so.
  // `%1` is a job.
  if (!/^[\w./][\w./+:@%,-]*$/.test(name.text))
    reading.why ??= 'The name of the program has quotes or special characters in it.'
  const words = [name, ...args].map((arg) => (arg.type === 'Word' ? wordOf(arg, place.home) : { dynamic: arg.text }))
  const isFed = place.isFed || given.redirects.some(({ operator }) => operator.startsWith('<'))
  const text = place.source.slice(given.pos, given.end)
  add({ type: 'command', text, words, folder: place.folder, isInner: place.isInner, isFed }, reading)
  const turn = /^(trap|alias)$/.test(name.text) ? 'later' : place.turn
  follow(words, place, reading)
  const isBlind = place.isFed || given.redirects.some((redirect) => redirect.operator === '<' || isBlindText(redirect))
  inside(words, given.redirects, { ...place, isInner: true, isFed, turn }, reading, isBlind)
  return moved(words, place.folder)
}

function add(part: ShellPart, { parts, left }: Reading) {
  left.words -= part.type === 'command' ? part.words.length : 1
  if (left.words >= 0) parts.push(part)
}

function follow(words: readonly Word[], place: Place, reading: Reading) {
  if (isMove(words)) reading.folders = foldersAfter(reading.folders, words, place)
}

/** Commands in the words, or in the here-document, of a program that runs others. */
function inside(
  words: readonly Word[],
  given: readonly Redirection[],
  place: Place,
  reading: Reading,
  isBlind: boolean,
) {
  const inner = reading.left.words < 0 ? undefined : innerCommands(words, given.flatMap(documentOf))
  if (!inner) return
  if (isBlind && [words, ...inner.commands].some(readsCommands)) {
    reading.why ??= 'A shell runs what it reads.'
    reading.isUnread = true
  }
  if (inner.isCut) {
    reading.why ??= 'The command has too many words to be judged.'
    reading.isUnread = true
  }
  const { isFed } = place
  const commands = inner.commands.map(
    (found): CommandPart => ({
      type: 'command',
      text: wordsText(found),
      words: found,
      folder: undefined,
      isInner: true,
      isFed,
    }),
  )
  if (inner.lines.length > 0 && reading.depth >= MAX_DEPTH) reading.isUnread = true
  const lines =
    reading.depth >= MAX_DEPTH ? [] : inner.lines.flatMap((line) => partsInText(line, inner.isProse, place, reading))
  for (const part of commands) add(part, reading)
  reading.parts.push(...lines)
  // `eval cd x` moves the shell itself. That others do not is not worked out.
  for (const part of [...commands, ...lines]) if (part.type === 'command') follow(part.words, place, reading)
}

/** The text of a here-document, or of `<<<`. */
function documentOf(redirect: Redirection): string[] {
  if (redirect.type === 'HereDoc') return [redirect.body.text]
  const target = redirect.operator === '<<<' && redirect.target ? wordOf(redirect.target) : undefined
  return target ? [writtenWord(target)] : []
}

function isBlindText(redirect: Redirection): boolean {
  return redirect.operator === '<<<' && (!redirect.target || !('text' in wordOf(redirect.target)))
}

/** Any text is looked at, and most is no command: where no shell runs it for sure, only what names its program counts. */
function partsInText(
  { text, isRun }: InnerLine,
  isProse: boolean,
  place: Place,
  reading: Reading,
): readonly ShellPart[] {
  const inText: Place = { ...place, source: text, folder: undefined }
  const { parts } = partsAt(text, inText, { ...reading, depth: reading.depth + 1 })
  return parts.flatMap((part): readonly ShellPart[] => {
    if (part.type === 'redirect') return isProse ? [] : [{ ...part, isInner: true }]
    const [name] = part.words
    if (!name || !('text' in name || isRun)) return []
    return [isProse ? { ...part, isProse } : part]
  })
}

function wordsText(words: readonly Word[]): string {
  return words.map(writtenWord).join(' ')
}

function moved(words: readonly Word[], folder: string | undefined): Move {
  const [name, target, ...rest] = words
  if (!name || !('text' in name)) return undefined
  if (name.text === 'pushd' || name.text === 'popd') return { lost: true }
  if (name.text !== 'cd' && name.text !== 'chdir') return undefined
  if (!target || !('text' in target) || rest.length > 0 || folder === undefined) return { lost: true }
  // A shell works out `..` by the words of its folder, which may be another way here than the canonical one.
  if (/^$|^[-~]|(^|\/)\.\.(\/|$)/.test(target.text)) return { lost: true }
  return { moves: joinPath(folder, target.text) }
}

function redirects(given: readonly Redirection[], place: Place, reading: Reading) {
  for (const redirect of given) {
    if (redirect.type !== 'Redirect' || !redirect.target) continue
    const target = wordOf(redirect.target, place.home)
    const written = writtenWord(target)
    if (written === '/dev/null' || (redirect.operator.endsWith('&') && /^[\d-]+$/.test(written))) continue
    const isHere = 'text' in target && (written.startsWith('/') || place.folder !== undefined)
    const path = isHere ? joinPath(place.folder ?? '/', written) : 'dynamic' in target ? target.path : undefined
    const part: RedirectPart = {
      type: 'redirect',
      text: `${redirect.operator} ${written}`,
      use: redirect.operator === '<' ? 'read' : 'write',
      path,
      ...(!('dynamic' in target) && !isHere && { name: written }),
      isSure: isHere && !/(^|\/)\.\.(\/|$)/.test(written),
    }
    add(part, reading)
  }
}
