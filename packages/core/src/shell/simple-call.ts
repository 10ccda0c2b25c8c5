import { joinPath } from './join-path.ts'

export interface SimpleCall {
  /** Its words, as the program gets them; the program first. Behind a pipe as well. */
  readonly words: readonly string[]
  /** Whether it runs a file of the project: then every file that a word names may be one. */
  readonly runs: boolean
  /** Whether it prints into a file, whose name is not among its words: what it prints may be anything. */
  readonly writes: boolean
  /** Whether what it prints goes through other programs, which may print more than that. */
  readonly isPiped: boolean
}

/** A word in which no character means anything to any shell. */
const WORD = /[\w./:@%+,-][\w./:@%+=,-]*|'[ -&(-~]*'|"[ #%-[\]^_a-~]*"/
const TOKEN = new RegExp(
  `(?<blank> +)|(?<pipe>\\|)|(?<both>2>&1)(?=$|[ |])|(?<into>>>?)|(?<word>${WORD.source})(?=$|[ |])`,
  'y',
)
const UNQUOTED = /^[\w./:@%+=,-]+$/
const SHELL = /^(ba|da|z)?sh$/
const INTERPRETER = /^(node|python[\d.]*)$/

/**
 * Programs that run no file and write none that another one may be put in the place of, each with the options of which
 * that is known. None of these follows links that it finds on its way, or takes a value that is a file's name.
 */
const PLAIN: ReadonlyMap<string, RegExp> = new Map([
  ['basename', /(?!)/],
  ['cat', /^-[nAE]+$/],
  ['date', /^-u$/],
  ['df', /^-h$/],
  ['dirname', /(?!)/],
  ['du', /^-[ahs]+$/],
  ['echo', /^-/],
  ['false', /(?!)/],
  ['grep', /^-[EFchilnorvwx]+$/],
  ['head', /^-(n|c|n?\d+)$/],
  ['id', /^-[ugn]+$/],
  ['ls', /^-[1AFadhlrStX]+$/],
  ['mkdir', /^-p$/],
  ['nproc', /(?!)/],
  ['pwd', /(?!)/],
  ['rm', /^-[rfv]+$/],
  ['rmdir', /(?!)/],
  ['seq', /(?!)/],
  ['sleep', /(?!)/],
  ['tail', /^-(n|c|n?\d+)$/],
  ['touch', /(?!)/],
  ['true', /(?!)/],
  ['uname', /^-[amnrs]+$/],
  ['wc', /^-[clmw]+$/],
  ['which', /(?!)/],
  ['whoami', /(?!)/],
])
/** They show what the call before them prints. */
const SHOWS = new Set(['cat', 'grep', 'head', 'tail', 'wc'])
const OF_THE_SYSTEM = /^\/(usr|s?bin|lib\w*|opt|etc|nix)\//
/** Without a script of that name in `package.json`, npm runs something else. */
const NPM_OWN = /^(start|stop|restart|install|env)$/

/**
 * One call of a program, in a shape of which it is certain what it runs: a file of the project, a script, a script of
 * `package.json`, or nothing. `folder` is where it is made. Much else can be read, but not so that everything it may run is
 * surely known: a remembered answer would then hold for code that nobody has seen (T22).
 */
export function simpleCall(line: string, folder: string | undefined): SimpleCall | undefined {
  const parts = partsOf(line)
  if (!parts) return undefined
  const { calls, writes } = parts
  const [own = [], ...pipes] = calls
  if (!pipes.every((words) => SHOWS.has(words[0] ?? '') && isPlain(words))) return undefined
  const words = calls.flat()
  const isPiped = pipes.length > 0
  // Programs differ in whether they work out `..` by words or by folders: behind a link these are two places.
  if (words.some((word) => /(^|[/=])\.\.(\/|$)/.test(word))) return undefined
  if (isPlain(own)) return { words, runs: false, writes, isPiped }
  return own.every((word) => UNQUOTED.test(word)) && isRun(own, folder)
    ? { words, runs: true, writes, isPiped }
    : undefined
}

interface Parts {
  /** The words of each program, in the order of the pipe. */
  readonly calls: readonly (readonly string[])[]
  readonly writes: boolean
}

/** Reads the line from its first character to its last; undefined where anything else is in it. */
function partsOf(line: string): Parts | undefined {
  const calls: string[][] = [[]]
  let target: 'none' | 'wanted' | 'read' = 'none'
  const token = new RegExp(TOKEN)
  while (token.lastIndex < line.length) {
    const { pipe, into, word } = token.exec(line)?.groups ?? {}
    if (token.lastIndex === 0) return undefined
    if (pipe !== undefined) calls.push([])
    else if (into !== undefined && target !== 'none') return undefined
    else if (into !== undefined) target = 'wanted'
    else if (word !== undefined && target === 'wanted') target = 'read'
    else if (word !== undefined) calls.at(-1)?.push(word.replace(/^(['"])(.*)\1$/, '$2'))
  }
  return target !== 'wanted' && calls.every((words) => words.length > 0)
    ? { calls, writes: target === 'read' }
    : undefined
}

function isPlain([name = '', ...args]: readonly string[]): boolean {
  const options = PLAIN.get(name)
  return options !== undefined && args.every((arg) => !arg.startsWith('-') || options.test(arg))
}

function isRun([name = '', ...args]: readonly string[], folder: string | undefined): boolean {
  if (name.includes('/')) return isInside(name, folder) && !name.includes('=')
  if (SHELL.test(name)) return /^[^-+]/.test(args.find((arg) => !/^-[eux]+$/.test(arg)) ?? '-')
  // A name without a dot or a slash may be a command of the interpreter's own.
  if (INTERPRETER.test(name)) return /^[^-].*[./]|^[./]/.test(args[0] ?? '')
  return name === 'npm' && isScriptOfPackage(args)
}

/** Programs of others take arguments by which they run more. */
function isInside(name: string, folder = '/'): boolean {
  const path = joinPath(folder, name)
  return path.startsWith(folder === '/' ? '/' : `${folder}/`) && !OF_THE_SYSTEM.test(path)
}

/** Options before `--` may name programs. What installs runs the scripts of other packages. */
function isScriptOfPackage([command = '', ...rest]: readonly string[]): boolean {
  const [script = ''] = rest
  const isScript = command === 'run' ? /^\w[\w:.-]*$/.test(script) && !NPM_OWN.test(script) : /^(test|t)$/.test(command)
  const given = command === 'run' ? rest.slice(1) : rest
  return isScript && (given.length === 0 || given[0] === '--')
}
