import { bothPlaces, fixedFolder, isInside, pathsOfRedirect, writtenPaths } from './places.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import { isMove } from './possible-folders.ts'
import { programOf } from './program-of.ts'
import { namesOf, reachesPath, segmentsOf } from './reaches-path.ts'
import { readingWords } from './reading-programs.ts'
import { whatItRuns } from './running-programs.ts'
import type { CommandPart, RedirectPart, ShellParts } from './shell-parts.ts'

/** The guarded file or folder that writing this path would change, if any. Names are compared without case: some disks do. */
export function guardedBy(path: string, facts: PolicyFacts): string | undefined {
  if (facts.guarded.length > 0 && !isTold(path, facts)) return UNTOLD
  const places = placesOf(path, facts)
  return facts.guarded.find((each) =>
    places.some((place) => reachesPath(segmentsOf(small(each)), namesOf(place), false)),
  )
}

/** A path as it is written and as it resolves, except where that is in an unguarded folder. */
function placesOf(path: string, facts: PolicyFacts): string[] {
  return bothPlaces(path, facts)
    .map(small)
    .filter((place) => !isUnguarded(place, facts))
}

function isUnguarded(place: string, { unguarded = [] }: PolicyFacts): boolean {
  return unguarded.some((folder) => isInside(small(folder), place))
}

/**
 * The guarded file or folder that a command may change, if any (T71). A command that only mentions one counts too: with `~`
 * or `$HOME` the syntax is not known, and such a command may write to it as well as read it.
 */
export function guardedInCommand(
  read: ShellParts,
  command: string,
  call: PolicyCall,
  facts: PolicyFacts,
): string | undefined {
  if (read.isCut && facts.guarded.length > 0) return UNREAD
  const isLost = read.unknown !== undefined || read.parts.some((part) => part.type === 'command' && !part.folder)
  for (const part of read.parts) {
    const found = part.type === 'redirect' ? writtenBy(part, facts) : changedBy(part, facts)
    if (found) return found
  }
  const text = withoutUnguarded(plainText(command, call.home), facts)
  return facts.guarded.find((each) => isMentioned(small(each), text, call, isLost))
}

const UNREAD = 'a guarded file, as it is too long to be read'
const UNTOLD = 'a guarded file, as it is not certain where its paths lead'
const ANYWHERE = 'a guarded file, as it is not certain in which folder it runs'

/** Commands that change what is guarded and name none of it. */
const CHANGES: readonly (readonly [program: string, command: RegExp, what: string])[] = [
  ['holdpoint', /^(attach|detach)$/, "Claude Code's settings"],
  ['claude', /^(config|mcp|plugin)$/, "Claude Code's settings"],
  ['holdpoint', /^stop$/, 'the running gateway'],
]

function changedByName({ words, isProse }: CommandPart): string | undefined {
  const name = programOf(words)
  const isCommand = (command: RegExp) =>
    words.slice(1).some((word, at) => ('text' in word ? command.test(word.text) : at === 0))
  return isProse ? undefined : CHANGES.find(([program, command]) => program === name && isCommand(command))?.[2]
}

function writtenBy(part: RedirectPart, facts: PolicyFacts): string | undefined {
  if (part.use !== 'write') return undefined
  if (part.name !== undefined && !part.mayRunIn) return ANYWHERE
  return pathsOfRedirect(part)
    .map((path) => guardedBy(path, facts))
    .find((found) => found !== undefined)
}

function changedBy(part: CommandPart, facts: PolicyFacts): string | undefined {
  if (isKnownToRead(part) || isMove(part.words)) return undefined
  const byName = facts.guarded.length > 0 ? changedByName(part) : undefined
  if (byName !== undefined) return byName
  if (part.folder === undefined && !part.mayRunIn) return ANYWHERE
  const paths = writtenPaths(part)
  if (!paths.every((path) => isTold(path, facts))) return UNTOLD
  const places = paths
    .flatMap((path) => bothPlaces(path, facts))
    .map(small)
    .filter((place) => !isUnguarded(place, facts))
  // What lies below a folder that is moved or removed goes with it.
  return facts.guarded.find((each) =>
    places.some((place) => reachesPath(segmentsOf(small(each)), namesOf(place), true) || mayBecome(place, small(each))),
  )
}

/** Whether a program may make a file's name of another one: `gunzip x.gz` writes to x, and `split a x.` to x.aa. */
function mayBecome(place: string, path: string): boolean {
  const [longer, shorter] = place.startsWith(`${path}.`) ? [place, path] : [path, place]
  return longer.startsWith(shorter) && !longer.slice(shorter.length).includes('/')
}

/** No system opens a longer one. */
const MAX_PATH = 4096

/** Whether it was looked up where a path leads, unless it is a device or can be no path. */
function isTold(path: string, { realPaths }: PolicyFacts): boolean {
  const isNone = path.startsWith('/dev/') || path.length > MAX_PATH
  return isNone || realPaths.has(path) || realPaths.has(fixedFolder(path))
}

/** Whether a command is known to change no file. */
export function isKnownToRead({ words }: CommandPart): boolean {
  const read = readingWords(words)
  return read !== undefined && 'files' in read && whatItRuns(words) === undefined
}

function small(text: string): string {
  return text.toLowerCase()
}

/** The text without quotes, with the home folder written out. */
function plainText(command: string, home: string): string {
  return small(
    command
      .replace(/['"\\]/g, '')
      .replace(/~(?=\/|$|[\s;&|])|\$HOME\b|\$\{HOME\}/g, () => home)
      .replace(/\/(\.?\/)+/g, '/'),
  )
}

/** With `..` behind it, the name of such a folder may stand for a place outside of it. */
function withoutUnguarded(text: string, { unguarded = [] }: PolicyFacts): string {
  return text.includes('..') ? text : unguarded.reduce((rest, folder) => rest.replaceAll(`${small(folder)}/`, ''), text)
}

function isMentioned(path: string, text: string, call: PolicyCall, isLost: boolean): boolean {
  const home = small(call.home)
  if (isIn(text, path, (rest) => !/^[\w.-]/.test(rest))) return true
  // In an unknown folder, the end of the path alone may name it.
  if (isLost && isInside(home, path) && path !== home) {
    const tail = path.slice(home.length + 1)
    if (isIn(text, tail, (rest) => !/^[\w.-]/.test(rest))) return true
  }
  return foldersAbove(path, home, small(call.project)).some((folder) =>
    isIn(text, folder, (rest) => /^\/?(?![\w./-])/.test(rest) || /^\/[^/\s;&|]*[*?[{$`]/.test(rest)),
  )
}

/** Parent folders of a guarded path that contain neither the home folder nor the project. */
function foldersAbove(path: string, home: string, project: string): string[] {
  const folders: string[] = []
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const folder = path.slice(0, at)
    const isWide = isInside(folder, home) || isInside(folder, project) || !folder.slice(1).includes('/')
    if (isWide) break
    folders.push(folder)
    // Outside of the home folder only the nearest one.
    if (!isInside(home, path)) break
  }
  return folders
}

function isIn(text: string, sought: string, goesOn: (rest: string) => boolean): boolean {
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    if (!/[\w.-]/.test(text.charAt(at - 1)) && goesOn(text.slice(at + sought.length, at + sought.length + 300)))
      return true
  }
  return false
}
