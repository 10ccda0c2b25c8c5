import { commandsIn, type ShellCommand } from './commands-in.ts'
import { joinPath } from './join-path.ts'
import { isPlain, isReading } from './plain-programs.ts'
import { isSystemProgram } from './system-program.ts'
import { unwrapped } from './unwrapped.ts'

export interface FilesRun {
  /**
   * Files that the command names as programs, scripts or build files. Of each list, places in the order they are looked
   * at, the first that is there is meant.
   */
  readonly files: readonly (readonly string[])[]
  /** Files that decide what those programs run, wherever one of them is. */
  readonly settings: readonly string[]
  /** Why files may be missing in that: one plain sentence. */
  readonly unknown?: string
}

type Words = readonly (string | undefined)[]

/** How an interpreter takes its script. An option that is in none of these is not known, and nothing is told then. */
interface Interpreter {
  /** Options that stand alone and load nothing. */
  readonly flags: RegExp
  /** Options whose next word is a value. */
  readonly valued: RegExp
  /** Options whose next word is a module that it runs as well. */
  readonly loads?: RegExp
  /** Options whose next word is its script. */
  readonly names?: RegExp
  /** Words in front of the script. */
  readonly subcommand?: string
  /** What is tried where the script's name stands for no file. */
  readonly endings?: readonly string[]
}

const NONE = /(?!)/
const SHELL = /^(ba|da|z|k|a)?sh$/
const NODE_ENDINGS = ['', '.js', '.json', '.node', '/package.json', '/index.js']
const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [
    /^(node|nodejs)$/,
    {
      flags:
        /^--(enable-source-maps|no-warnings|no-deprecation|trace-warnings|trace-uncaught|experimental-strip-types)$/,
      valued: /^(-C|--conditions|--title|--stack-trace-limit|--max-old-space-size)$/,
      loads: /^(-r|--require|--import|--loader|--experimental-loader)$/,
      endings: NODE_ENDINGS,
    },
  ],
  [/^(tsx|ts-node)$/, { flags: NONE, valued: NONE }],
  [/^deno$/, { flags: /^(-A|-q|--quiet|--no-check|--allow-\w+(=.*)?)$/, valued: NONE, subcommand: 'run' }],
  [/^(python|pypy)[\d.]*$/, { flags: /^-[uBEIsSqvO]+$/, valued: /^-[WX]$/, endings: ['', '/__main__.py'] }],
  [/^ruby[\d.]*$/, { flags: /^-[wv]$/, valued: NONE, loads: /^-r$/ }],
  [/^perl[\d.]*$/, { flags: /^-[wT]$/, valued: NONE }],
  [/^php[\d.]*$/, { flags: NONE, valued: NONE, names: /^(-f|--file)$/ }],
  [/^(lua|luajit|Rscript|tclsh|swift|julia|groovy|osascript)[\d.]*$/, { flags: NONE, valued: NONE }],
]
const PACKAGE_RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun'])
/** They can name the shell that runs a script, another program in its place, or packages whose scripts run as well. */
const PACKAGE_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  // It looks for its shell there first.
  npm: ['.npmrc', 'package.json', 'node_modules/.bin/sh'],
  pnpm: ['.npmrc', 'pnpm-workspace.yaml'],
  yarn: ['.yarnrc', '.yarnrc.yml'],
  bun: ['bunfig.toml'],
}
/** Of package managers: these look, and run nothing of the project's. */
const LOOKING = new Set([
  'view',
  'info',
  'ls',
  'list',
  'outdated',
  'audit',
  'search',
  'help',
  'whoami',
  'ping',
  'why',
  'root',
  'config',
])
/** They run a script of package.json's. */
const RUNNING = new Set(['run', 'run-script', 'test', 't', 'start', 'stop', 'restart', 'install', 'i', 'ci', 'build'])
const MAX_DEPTH = 3
const MAX_FILES = 50

/** The files of the project that a command runs, by name. `folder` is where it starts; undefined if not known. */
export function filesRun(line: string, folder: string | undefined): FilesRun {
  const found = createFound()
  read(line, folder === undefined ? [] : [folder], found, 0)
  if (found.sources && found.programs > 1)
    unsure(found, 'The file that it sources may change what the rest of the command runs.')
  if (found.changing > 1 && found.files.size > 0) {
    unsure(found, 'One part of the command may change the files that another one runs.')
  }
  if (found.files.size > MAX_FILES)
    return { files: [], settings: [], unknown: 'The command names more files than can be shown.' }
  return {
    files: [...found.files.values()],
    settings: [...found.settings],
    ...(found.why !== undefined && { unknown: found.why }),
  }
}

interface Found {
  readonly files: Map<string, readonly string[]>
  readonly settings: Set<string>
  why: string | undefined
  programs: number
  /** Programs that may change files. */
  changing: number
  /** Whether a file is read into the shell itself. */
  sources: boolean
}

function createFound(): Found {
  return { files: new Map(), settings: new Set(), why: undefined, programs: 0, changing: 0, sources: false }
}

function read(line: string, starts: readonly string[], found: Found, depth: number) {
  const parsed =
    depth > MAX_DEPTH
      ? { known: false as const, why: 'The command is nested too deeply to be read.' }
      : commandsIn(line)
  if (!parsed.known) return unsure(found, parsed.why)
  for (const command of parsed.commands) {
    const programs = unwrapped(command.words)
    if ('why' in programs) unsure(found, programs.why)
    else
      for (const words of programs.programs)
        program(words, { ...command, folders: from(starts, command) }, found, depth)
  }
}

function from(starts: readonly string[], { folders }: ShellCommand): readonly string[] {
  const all = folders.flatMap((folder) =>
    folder.startsWith('/') ? [folder] : starts.map((start) => joinPath(start, folder)),
  )
  // One of several ways is not known: then none is.
  return folders.every((folder) => folder.startsWith('/') || starts.length > 0) ? all : []
}

function program(words: Words, where: ShellCommand, found: Found, depth: number) {
  const [name, ...args] = words
  if (name === undefined) return unsure(found, 'The name of a program in it is known only at run time.')
  const base = name.split('/').at(-1) ?? ''
  found.programs++
  if (where.writesTo.length > 0 || !isSystemProgram(name) || !isReading(base, args)) found.changing++
  if (!isSystemProgram(name)) candidates([name], where, found)
  if (name === '.' || name === 'source') {
    found.sources = true
    return script(args[0], where, found)
  }
  if (SHELL.test(base)) return shell(base, args, where, found, depth)
  if (base === 'make' || base === 'gmake') return make(args, where, found)
  const known = INTERPRETERS.find(([names]) => names.test(base))
  if (known) return interpreter(base, known[1], args, where, found)
  if (PACKAGE_RUNNERS.has(base)) return packageRunner(base, args, where, found)
  // A list of what is known, never of what is not: a program that nobody thought of must not pass for one that runs nothing.
  if (!isSystemProgram(name) || isPlain(base, args)) return
  unsure(
    found,
    base === 'git'
      ? "git can run programs that the repository's configuration names."
      : `Holdpoint does not know which files ${base} runs.`,
  )
}

function shell(base: string, args: Words, where: ShellCommand, found: Found, depth: number) {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === undefined) return unsure(found, `What ${base} runs is known only at run time.`)
    if (/^-[euxl]*c[euxl]*$/.test(arg)) {
      const code = args[at + 1]
      if (code === undefined || /^[-+]/.test(code)) return unsure(found, `What ${base} runs is known only at run time.`)
      // It does nothing but what the programs in that text do.
      found.changing--
      found.programs--
      return read(code, where.folders, found, depth + 1)
    }
    if (/^[-+][eux]*o$/.test(arg)) at++
    else if (arg === '--') return script(args[at + 1], where, found)
    else if (arg === '-' || arg === '-s') return reading(base, where, found)
    else if (!/^[-+]/.test(arg)) return script(arg, where, found)
    else if (!/^([-+][euxl]+|--norc|--noprofile|--posix|--login)$/.test(arg))
      return unsure(found, `Holdpoint does not know what ${base} ${arg} does.`)
  }
  reading(base, where, found)
}

/** It takes its code from what it reads. */
function reading(base: string, { stdin, ...where }: ShellCommand, found: Found) {
  if (stdin && stdin !== 'pipe') script(stdin.file, { ...where, stdin }, found)
  else unsure(found, `${base} runs what it reads from its input.`)
}

function interpreter(base: string, how: Interpreter, args: Words, where: ShellCommand, found: Found) {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === undefined) return unsure(found, `What ${base} runs is known only at run time.`)
    const [option = '', value] = arg.startsWith('--') ? arg.split(/=(.*)/s) : [arg]
    if (how.loads?.test(option)) loaded(value ?? args[++at], where, found)
    else if (how.names?.test(option)) return script(value ?? args[at + 1], where, found)
    else if (how.valued.test(option)) at += value === undefined ? 1 : 0
    else if (arg === '-') return reading(base, where, found)
    else if (arg === how.subcommand || how.flags.test(arg)) continue
    else if (arg.startsWith('-')) return unsure(found, `Holdpoint does not know which files ${base} ${option} loads.`)
    else return script(arg, where, found, how.endings)
  }
  if (args.length === 1 && /^(-v|-V|--version)$/.test(args[0] ?? '')) return
  reading(base, where, found)
}

/** A module: a file if it is written as a path, a package of somebody else's if not. */
function loaded(module: string | undefined, where: ShellCommand, found: Found) {
  if (module === undefined || /^\.{0,2}\//.test(module)) script(module, where, found, NODE_ENDINGS)
  else unsure(found, `Holdpoint does not know where ${module} is loaded from.`)
}

function make(args: Words, where: ShellCommand, found: Found) {
  let { folders } = where
  const named: (string | undefined)[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    const [, option, joined] = /^(-[Cf]|--(?:directory|file|makefile)(?==|$))=?(.*)$/s.exec(arg) ?? []
    if (option === undefined) {
      if (!/^(-[jks]+|-j\d+|[^-=][^=]*)$/.test(arg))
        return unsure(found, `Holdpoint does not know what make ${arg} does.`)
      continue
    }
    const value = joined === '' ? args[++at] : joined
    if (option !== '-C' && option !== '--directory') named.push(value)
    else folders = value === undefined ? [] : folders.map((folder) => joinPath(folder, value))
  }
  const there = { ...where, folders }
  if (named.length > 0) for (const file of named) script(file, there, found)
  else candidates(['GNUmakefile', 'makefile', 'Makefile'], there, found)
}

function packageRunner(base: string, args: Words, where: ShellCommand, found: Found) {
  let { folders } = where
  const rest: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === undefined) return unsure(found, `What ${base} runs is known only at run time.`)
    // Behind it stands what the script gets.
    if (arg === '--') break
    const [, option, joined] = /^(-C|--(?:prefix|dir|cwd)(?==|$))=?(.*)$/s.exec(arg) ?? []
    if (option !== undefined) {
      const value = joined === '' ? args[++at] : joined
      folders = value === undefined ? [] : folders.map((folder) => joinPath(folder, value))
    } else if (!arg.startsWith('-')) rest.push(arg)
    else if (arg === '-v' || arg === '--version') return
    else if (!/^(-s|--silent)$/.test(arg)) return unsure(found, `Holdpoint does not know what ${base} ${arg} does.`)
  }
  const [command = '', first = ''] = rest
  if (LOOKING.has(command)) return
  const there = { ...where, folders }
  const file = command === 'run' ? first : command
  if (base === 'bun' && /[./]/.test(file)) return script(file, there, found)
  if (!RUNNING.has(command))
    return unsure(found, `Holdpoint does not know which files ${base} ${command} runs.`.replace('  ', ' '))
  nearest('package.json', there, found)
  for (const name of PACKAGE_SETTINGS[base] ?? [])
    for (const folder of folders) for (const path of upward(folder, name)) found.settings.add(path)
}

function script(name: string | undefined, where: ShellCommand, found: Found, endings: readonly string[] = ['']) {
  if (name === undefined) return unsure(found, 'The name of a file that it runs is known only at run time.')
  if (/^(https?|data|npm|jsr|file):/.test(name)) return unsure(found, 'It runs code from a URL.')
  const isFull = endings.length === 1 || /\.\w+$/.test(name)
  candidates(isFull ? [name] : endings.map((ending) => name + ending), where, found)
}

/** In every folder that it may run in. */
function candidates(names: readonly string[], { folders }: ShellCommand, found: Found) {
  const isAbsolute = names.every((name) => name.startsWith('/'))
  if (!isAbsolute && folders.length === 0) return unsure(found, 'The folder that it runs in is not known.')
  // Each process sees another place under such a name.
  if (names.some((name) => /^\/+(proc|dev)\//.test(name))) return unsure(found, `${names[0]} is not a fixed place.`)
  for (const folder of isAbsolute ? ['/'] : folders) {
    const paths = names.map((name) => placed(folder, name))
    if (paths[0] !== undefined) found.files.set(paths[0], paths)
  }
}

/** A `..` is left for the system to follow: behind a link it leads elsewhere than its words say. */
function placed(folder: string, name: string): string {
  if (!name.split('/').includes('..')) return joinPath(folder, name)
  return name.startsWith('/') ? name : `${folder.replace(/\/$/, '')}/${name}`
}

/** In the folder or the nearest one above that has it. */
function nearest(name: string, { folders }: ShellCommand, found: Found) {
  if (folders.length === 0) return unsure(found, 'The folder that it runs in is not known.')
  for (const folder of folders) {
    const paths = upward(folder, name)
    if (paths[0] !== undefined) found.files.set(paths[0], paths)
  }
}

function upward(folder: string, name: string): readonly string[] {
  const ups = folder.split('/').map((_, up) => joinPath(folder, `${'../'.repeat(up)}${name}`))
  return [...new Set(ups)]
}

function unsure(found: Found, why: string) {
  found.why ??= why
}
