import {
  type Assignment,
  type Command,
  type CommandArgument,
  type CommandNode,
  type CompoundList,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirected,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash'
import { joinPath } from './join-path.ts'

/** One program that a command line runs. */
export interface ShellCommand {
  /** Its name, which is always known, and its arguments: undefined for one that is known only when it runs. */
  readonly words: readonly [string, ...(string | undefined)[]]
  /** Where it may run, as seen from where the line starts: more than one after a `cd` that may fail, none if not known. */
  readonly folders: readonly string[]
  /** What it reads: a file by `<`, its words undefined if not known; another program's output; or neither. */
  readonly stdin: { readonly file: string | undefined } | 'pipe' | undefined
  /** The files that its output goes into, by `>` and the like: undefined for one that is known only when it runs. */
  readonly writesTo: readonly (string | undefined)[]
}

export type ShellCommands =
  | { readonly known: true; readonly commands: readonly ShellCommand[] }
  /** One plain sentence. */
  | { readonly known: false; readonly why: string }

/** Where a command may leave the shell: when it succeeds, and when it fails. */
interface FoldersAfter {
  readonly ok: readonly string[]
  readonly bad: readonly string[]
}

class Unknown extends Error {}

const MAX_FOLDERS = 8
const MAX_LENGTH = 100_000
/** Variables that no program takes for the name of a program or a file. Of all others some program may. */
const HARMLESS_NAMES = /^(CI|COLUMNS|DEBUG|FORCE_COLOR|HOST|LANG|LC_\w+|LINES|NO_COLOR|NODE_ENV|PORT|TZ|VERBOSE)$/

/** Whether setting this variable leaves it as it is which program and which code runs. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS_NAMES.test(name)
}

/** They change what later words mean. */
const TELLING_BUILTINS = new Set(
  'alias unalias builtin enable eval exec getopts hash let mapfile readarray set setopt shopt trap unsetopt'.split(' '),
)
const DECLARING_BUILTINS = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'read', 'unset'])
/** A shell may take their arguments for numbers or variables, and run what stands in the brackets of one. */
const COUNTING_BUILTINS = new Set(['[', 'test', 'printf', 'exit', 'return', 'kill', 'umask', 'wait'])

/** The programs that a command line runs, substitutions included, or why that cannot be told. Nothing is run. */
export function commandsIn(line: string): ShellCommands {
  if (line.length > MAX_LENGTH) return { known: false, why: 'The command is too long to be read.' }
  const commands: ShellCommand[] = []
  try {
    script(parse(line), ['.'], commands)
    return { known: true, commands }
  } catch (error) {
    if (error instanceof Unknown) return { known: false, why: error.message }
    // The parser recurses: what is nested too deep for it is nothing that a person reads either.
    if (error instanceof RangeError) return { known: false, why: 'The command is nested too deeply to be read.' }
    throw error
  }
}

function script(parsed: ParsedScript, folders: readonly string[], out: ShellCommand[]): readonly string[] {
  if (parsed.errors?.length) throw new Unknown('The command cannot be parsed.')
  return list(parsed.commands, folders, out)
}

function list(statements: readonly Statement[], folders: readonly string[], out: ShellCommand[]): readonly string[] {
  return statements.reduce((now, { command, background }) => {
    const { ok, bad } = command.type === 'AndOr' ? chain(command, now, out) : node(command, now, out)
    return background ? now : union(ok, bad)
  }, folders)
}

function chain(
  { commands, operators }: { commands: readonly PipelineNode[]; operators: readonly ('&&' | '||')[] },
  folders: readonly string[],
  out: ShellCommand[],
): FoldersAfter {
  let now: FoldersAfter = { ok: folders, bad: folders }
  commands.forEach((command, place) => {
    const operator = place === 0 ? undefined : operators[place - 1]
    const next = node(command, operator === '||' ? now.bad : now.ok, out)
    if (operator === undefined) now = next
    else if (operator === '&&') now = { ok: next.ok, bad: union(now.bad, next.bad) }
    else now = { ok: union(now.ok, next.ok), bad: next.bad }
  })
  return now
}

function node(given: PipelineNode, folders: readonly string[], out: ShellCommand[]): FoldersAfter {
  if (given.type !== 'Pipeline') return one(given, folders, out, false)
  const left = given.commands.map((part, place) => one(part, folders, out, place > 0))
  const [only] = left
  // Each part has a shell of its own, unless there is but one, behind `!` or `time`.
  if (left.length !== 1 || !only) return { ok: folders, bad: folders }
  const isNegated = given.prefixes.some(({ type }) => type === 'Negation')
  return isNegated ? { ok: only.bad, bad: only.ok } : only
}

function one(given: CommandNode, folders: readonly string[], out: ShellCommand[], piped: boolean): FoldersAfter {
  switch (given.type) {
    case 'Command':
      return command(given, folders, out, piped)
    case 'Redirected':
      return redirected(given, folders, out, piped)
    case 'Subshell':
      body(given.body, folders, out)
      return { ok: folders, bad: folders }
    case 'BraceGroup': {
      const left = body(given.body, folders, out)
      return { ok: left, bad: left }
    }
    case 'Function':
      throw new Unknown('The command defines a function.')
    case 'If':
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
    case 'While':
    case 'Case':
      throw new Unknown('The command has a loop or a condition in it.')
    case 'TestCommand':
    case 'Coproc':
    case 'ArithmeticCommand':
      throw new Unknown('The command has an unknown form.')
    default:
      return given satisfies never
  }
}

function redirected(given: Redirected, folders: readonly string[], out: ShellCommand[], piped: boolean): FoldersAfter {
  for (const redirect of given.redirects) nested(redirect, folders, out)
  const inside: ShellCommand[] = []
  const left = one(given.command, folders, inside, piped)
  const targets = writesTo(given.redirects)
  out.push(...inside.map((command) => ({ ...command, writesTo: [...command.writesTo, ...targets] })))
  return left
}

function body({ commands }: CompoundList, folders: readonly string[], out: ShellCommand[]): readonly string[] {
  return list(commands, folders, out)
}

function command(given: Command, folders: readonly string[], out: ShellCommand[], piped: boolean): FoldersAfter {
  const stay = { ok: folders, bad: folders }
  nested(given, folders, out)
  for (const part of given.prefix) if (part.type === 'Assignment') refuseTelling(part)
  if (!given.name) {
    if (writesTo(given.redirects).length > 0)
      throw new Unknown('A redirection without a program empties or creates a file.')
    return stay
  }
  const name = known(given.name)
  if (name === undefined) throw new Unknown('The name of a program in it is known only at run time.')
  const args = given.args.map((arg) => (arg.type === 'Word' ? known(arg) : assigned(arg)))
  if (TELLING_BUILTINS.has(name) && !isHarmlessSet(name, args)) throw new Unknown(`The command uses ${name}.`)
  if (DECLARING_BUILTINS.has(name)) for (const arg of given.args) refuseTelling(declared(arg))
  if (COUNTING_BUILTINS.has(name) && !args.every(isPlainArgument)) {
    throw new Unknown(`What ${name} does with its arguments is known only at run time.`)
  }
  out.push({
    words: [name, ...args],
    folders,
    stdin: stdinOf(given.redirects, piped),
    writesTo: writesTo(given.redirects),
  })
  if (name === 'pushd' || name === 'popd') return { ok: [], bad: folders }
  return name === 'cd' ? { ok: entered(folders, args), bad: folders } : stay
}

/** `set -e` and its like: no word has another meaning afterwards. */
function isHarmlessSet(name: string, args: readonly (string | undefined)[]): boolean {
  return (
    name === 'set' &&
    args.every((arg) => arg !== undefined && /^([-+][euxo]+|pipefail|errexit|nounset|xtrace)$/.test(arg))
  )
}

function isPlainArgument(arg: string | undefined): boolean {
  return arg === ']' || (arg !== undefined && !/^-[vRp]|[[$`]/.test(arg))
}

function declared(arg: CommandArgument): Pick<Assignment, 'name' | 'index'> {
  if (arg.type === 'Assignment') return arg
  const text = known(arg)
  if (text === undefined) throw new Unknown('The command sets a variable whose name is known only at run time.')
  return { name: text.split('=')[0] ?? '', index: undefined }
}

function refuseTelling({ name, index }: Pick<Assignment, 'name' | 'index'>) {
  if (index || !isHarmlessVariable(name)) throw new Unknown(`The command sets ${name}, which may decide what runs.`)
}

function writesTo(redirects: readonly Redirection[]): (string | undefined)[] {
  return redirects.flatMap((redirect) => {
    // The shell puts a number into a variable of this name.
    if (redirect.descriptor?.type === 'FileDescriptorVariable') {
      throw new Unknown('The command has an unknown form.')
    }
    if (redirect.type !== 'Redirect' || redirect.operator === '<') return []
    const target = redirect.target && known(redirect.target)
    const isNoFile = target === '/dev/null' || (/&$/.test(redirect.operator) && /^[\d-]+$/.test(target ?? ''))
    return isNoFile ? [] : [target]
  })
}

function entered(folders: readonly string[], args: readonly (string | undefined)[]): readonly string[] {
  // Not `-P`: behind a link `..` leads elsewhere than its words say.
  const rest = args.filter((arg) => arg !== '--' && arg !== '-L')
  const [target] = rest
  if (rest.length !== 1 || target === undefined || target === '' || target.startsWith('-')) return []
  return folders.map((folder) => joinPath(folder, target))
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  // Not known on one way is not known.
  if (a.length === 0 || b.length === 0) return []
  const all = [...new Set([...a, ...b])]
  return all.length > MAX_FOLDERS ? [] : all
}

function stdinOf(redirects: readonly Redirection[], piped: boolean): ShellCommand['stdin'] {
  const last = redirects.findLast(
    ({ operator, descriptor }) =>
      operator.startsWith('<') &&
      (descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0)),
  )
  if (last?.type === 'Redirect') {
    return { file: last.operator === '<' && last.target ? known(last.target) : undefined }
  }
  // What stands in the command itself can be read there.
  if (last) return undefined
  return piped ? 'pipe' : undefined
}

/** Programs in substitutions inside words, assignments, redirections and here-documents. */
function nested(given: SyntaxNode, folders: readonly string[], out: ShellCommand[]) {
  forEachChild(given, (child) => {
    if ('script' in child && child.script) script(child.script, folders, out)
    else if (child.type === 'CommandExpansion' || child.type === 'ProcessSubstitution')
      throw new Unknown('The command has a substitution that cannot be read.')
    else if (child.type === 'ArithmeticExpansion' || (child.type === 'ParameterExpansion' && !isPlainExpansion(child)))
      throw new Unknown('The command has an unknown expansion.')
    else nested(child, folders, out)
  })
}

/** Others set variables, or count: brackets in what is counted can run a program. */
function isPlainExpansion({ prefix, index, operation }: ParameterExpansionPart): boolean {
  return prefix !== '!' && !index && !operation
}

/** The text of a word, if it is the same whenever it runs. */
function known({ value, text, parts }: Word): string | undefined {
  if (text.startsWith('~')) return undefined
  return (parts ?? []).every(isPlain) ? value : undefined
}

function isPlain(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true
    case 'DoubleQuoted':
      return part.parts.every((child) => child.type === 'Literal')
    default:
      return false
  }
}

function assigned({ name, append, index, value }: Assignment): string | undefined {
  const text = value.type === 'Word' && !append && !index ? known(value) : undefined
  return text === undefined ? undefined : `${name}=${text}`
}
