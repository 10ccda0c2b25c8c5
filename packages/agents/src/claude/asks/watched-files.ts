import { realpath } from 'node:fs/promises'
import { basename, isAbsolute, resolve } from 'node:path'
import { commandsIn, type ShellCommand } from '@holdpoint/core/shell/commands-in'
import { isReading } from '@holdpoint/core/shell/plain-programs'
import type { ToolInput } from '@holdpoint/schema/ask'
import { leadsTo } from '../../files/leads-to.ts'
import { linksIn } from '../../files/links-in.ts'
import { namedFile } from './file-change.ts'
import { mayMoveLink } from './may-move-link.ts'

/** The files that a folder was trusted for. Claude Code runs what they hold without an ask. */
export interface WatchedFiles {
  /** Whether they still are what a person has seen. */
  readonly areUnchanged: boolean
  /** Absolute. Of a link both its own path and the one that it leads to count. */
  readonly paths: readonly string[]
  /** Absolute. Scripts in them decide over calls, and may load any file beside them. */
  readonly folders: readonly string[]
  /** Of scripts that run from wherever the agent is: in another folder a file of that name would run in their place. */
  readonly names: readonly string[]
}

/** Programs that Claude Code runs without an ask in `acceptEdits` mode, because they only change files; `ln` by a rule. */
const CHANGING = /^(mkdir|touch|rm|rmdir|mv|cp|ln|sed)$/
/** Files that would be watched, too. */
const NEW_SETTINGS = /\/\.claude(\/|$)|\/\.mcp\.json$/
/** Options that keep what was there under another name: `sed -i.sh`, `cp -b`, `mv --suffix=.sh`. */
const BACKUP = /^-i.|^-[a-zA-Z]*[bS]|^--(s|b|in)/
const MAX_WORDS = 200

/** Whether a call that Claude Code may make without an ask can change one of these files, or add one (T34). */
export async function mayChangeWatched(
  files: WatchedFiles,
  { name, input, cwd }: { readonly name: string; readonly input: Readonly<ToolInput>; readonly cwd: string },
): Promise<boolean> {
  const candidates = await changedBy(name, input, cwd)
  if (candidates === 'unknown') return true
  if (candidates.length === 0) return false
  const watched = {
    paths: await everySpelling(files.paths),
    folders: await everySpelling(files.folders),
    names: files.names.map((each) => each.toLowerCase()),
  }
  for (const candidate of candidates) {
    const place = await leadsTo(candidate)
    if (place !== undefined && !isAbsolute(place)) return true
    if (isWatched(candidate.toLowerCase(), watched)) return true
    if (place !== undefined && isWatched(place.toLowerCase(), watched)) return true
  }
  return false
}

/** With the places that links lead to. In lower case: some file systems take `Check.sh` for `check.sh`. */
async function everySpelling(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)))
  return [...paths, ...real].map((path) => path.toLowerCase())
}

function isWatched(path: string, { paths, folders, names }: Omit<WatchedFiles, 'areUnchanged'>): boolean {
  const within = path.endsWith('/') ? path : `${path}/`
  if (NEW_SETTINGS.test(path) || paths.some((file) => file === path || file.startsWith(within))) return true
  if (folders.some((folder) => within.startsWith(`${folder}/`))) return true
  // `node check` also runs `check.js` and `check/index.js`.
  const parts = path.split('/').slice(-2)
  return names.some((name) => parts.some((part) => part === name || part.startsWith(`${name}.`)))
}

/** Every path that the call may change; a folder stands for all that is in it. */
async function changedBy(
  name: string,
  input: Readonly<ToolInput>,
  cwd: string,
): Promise<readonly string[] | 'unknown'> {
  const file = namedFile(name, input, cwd)
  if (file !== undefined) return basename(file).startsWith('~') || file.includes('/~') ? 'unknown' : [file]
  // A skill's text may put them into a command of its own, which no hook sees.
  if (name === 'Skill' && input.args !== undefined && input.args !== '') return 'unknown'
  if (typeof input.command !== 'string') return []
  const read = commandsIn(input.command)
  if (!read.known) return 'unknown'
  const changing = read.commands.filter((command) => changedWords(command).length > 0)
  const changed: string[] = []
  for (const command of changing) {
    if (changing.length > 1 && (await mayMoveLink(command, cwd))) return 'unknown'
    const paths = await changedPaths(command, cwd)
    if (paths === 'unknown') return paths
    changed.push(...paths)
  }
  return changed
}

async function changedPaths(command: ShellCommand, cwd: string): Promise<readonly string[] | 'unknown'> {
  const words = changedWords(command)
  if (words.length > MAX_WORDS || command.folders.length === 0) return 'unknown'
  const copies = command.words.some((word) => basename(word ?? '') === 'cp')
  const hasOption = command.words.some((word) => word?.startsWith('-'))
  const paths: string[] = []
  for (const folder of command.folders) {
    for (const word of words) {
      if (word === undefined || (await climbsFromLink(resolve(cwd, folder), word))) return 'unknown'
      const path = resolve(cwd, folder, beforePattern(word))
      // A copy is written through a link that has its name.
      const links = copies ? await linksIn(path, hasOption) : []
      if (!links) return 'unknown'
      paths.push(path, ...links)
    }
  }
  return paths
}

/** Behind a link `..` leads elsewhere than its words say. */
async function climbsFromLink(folder: string, word: string): Promise<boolean> {
  const parts = (isAbsolute(word) ? word : `${folder}/${word}`).split('/')
  for (const [place, part] of parts.entries()) {
    if (part === '..' && (await leadsTo(resolve('/', ...parts.slice(0, place)))) !== undefined) return true
  }
  return false
}

function changedWords({ words: [program, ...args], writesTo }: ShellCommand): readonly (string | undefined)[] {
  const name = basename(program)
  if (!CHANGING.test(name) && !startsChanging(program, args)) return writesTo
  const files = name === 'sed' ? editedBySed(args) : args
  // The names of more files come from another program, or are made of a name and an ending.
  const isMore = [program, ...args].some((word) => basename(word ?? '') === 'xargs' || BACKUP.test(word ?? ''))
  const more = isMore ? [undefined] : []
  return [...writesTo, ...more, ...files.flatMap((word) => (word?.startsWith('-') ? valuesIn(word) : [word]))]
}

/** `timeout 5 cp`, `nice cp`, `command cp`: Claude Code looks behind them, and any word may be the program that runs. */
function startsChanging(program: string, args: readonly (string | undefined)[]): boolean {
  const onlyReads = program !== 'find' && isReading(program, args)
  return !onlyReads && args.some((word) => word === undefined || CHANGING.test(basename(word)))
}

/** Its script is no file, and with `sed -n 10,20p` files are only read. */
function editedBySed(args: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const script = args.findIndex((word) => !word?.startsWith('-'))
  const options = args.slice(0, script)
  const files = args.slice(script + 1)
  if (script < 0 || !options.every((word) => /^-[inEr]$/.test(word ?? ''))) return args
  if (files.some((word) => word?.startsWith('-'))) return args
  const text = args[script] ?? ''
  // Other scripts can write into files that they name.
  if (!/^[\d,;$p ]+$/.test(text) && !REPLACING.test(text)) return [undefined]
  return options.includes('-i') ? files : []
}

/** `s/a/b/g`: nothing but the replacement of one text. */
const REPLACING = /^s([/|#,@])(\\.|(?!\1)[^\\\n])*\1(\\.|(?!\1)[^\\\n])*\1[gip\d]*$/

/** `-tscripts` and `--target-directory=scripts`: where a value begins is not known. */
function valuesIn(option: string): string[] {
  return Array.from({ length: Math.max(option.length - 2, 0) }, (_, at) => option.slice(at + 2))
}

/** The folder in front of the first character that may stand for several names. */
function beforePattern(word: string): string {
  const at = word.search(/[*?[{]/)
  return at < 0 ? word : word.slice(0, word.lastIndexOf('/', at) + 1)
}
