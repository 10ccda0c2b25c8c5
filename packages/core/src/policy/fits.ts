import type { CallAction } from '@holdpoint/schema/call-action'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { fitsAddress } from './address-pattern.ts'
import {
  baseFolder,
  type CountedRule,
  type FileRule,
  fileRulesFor,
  firstCommandRule,
  firstFileRule,
  type RuleIndex,
} from './counted-rules.ts'
import { concernsCommand, hasWords, whyNotAllowed } from './fits-command.ts'
import { isKnownToRead } from './guarded.ts'
import { guessedCommands } from './guessed-commands.ts'
import { inCode } from './in-code.ts'
import { fitsPath, type PatternSegment } from './path-pattern.ts'
import { bothPlaces, fixedFolder, foldersOf, isInside, writtenPaths } from './places.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import { programOf } from './program-of.ts'
import { namesOf, reachesPath, segmentsOf } from './reaches-path.ts'
import { readingWords } from './reading-programs.ts'
import { currentName } from './renamed-tools.ts'
import type { CommandPart } from './shell-parts.ts'
import { writtenWord } from './shell-word.ts'
import { mayTakeOwnFolder, takesTree } from './whole-trees.ts'

/** What a verdict is about: a command, a file, or the call as a whole. */
export type Subject =
  | CommandPart
  | {
      readonly type: 'path'
      readonly text: string
      readonly use: 'read' | 'write'
      readonly path: string | undefined
      /** Found behind a program that runs it: it can only make a verdict stricter. */
      readonly isInner?: true
      /** Its name, perhaps with a glob, seen from a folder that is not certain, and what that may be. */
      readonly name?: string
      readonly mayRunIn?: readonly string[]
      readonly isSure: boolean
      /** Whether it is all that lies below the path. */
      readonly isTree?: boolean
    }
  | {
      readonly type: 'whole'
      readonly text: string
      readonly action: Exclude<CallAction, { type: 'command' | 'file' }>
    }

/** Whether it stands inside of another part of the call. */
export function isInner(subject: Subject): boolean {
  return subject.type !== 'whole' && subject.isInner === true
}

export interface Concern {
  readonly rule: PolicyRule
  /** Whether the match is only possible: a word is known only at run time, or a file is only named. */
  readonly isUnsure: boolean
}

/** The rule that asks or denies and matches a subject: a certain match before a possible one. */
export function concerning(
  index: RuleIndex,
  subject: Subject,
  call: PolicyCall,
  facts: PolicyFacts,
): Concern | undefined {
  if (subject.type === 'command') return ofCommand(index, subject, call, facts) ?? byTool(index, call)
  if (subject.type === 'path') {
    const rule = ofPath(index, subject, call, facts)
    if (rule) return { rule, isUnsure: false }
    const below =
      subject.isTree && subject.path !== undefined ? reaching(index, [subject.path], subject, call, facts) : undefined
    if (below) return { rule: below, isUnsure: true }
    // It may be any file.
    const any = subject.path === undefined ? firstFileRule(index, subject.use) : undefined
    return any ? { rule: any, isUnsure: true } : byTool(index, call)
  }
  const found = index.others.find(({ pattern }) => isAbout(pattern, subject.action, 'wide'))
  return found ? { rule: found.rule, isUnsure: false } : byTool(index, call)
}

function byTool({ others }: RuleIndex, { tool }: PolicyCall): Concern | undefined {
  const found = others.find(({ pattern }) => pattern.about === 'tool' && isTool(pattern.name, tool))
  return found && { rule: found.rule, isUnsure: false }
}

function isTool(name: string, tool: string): boolean {
  return currentName(name) === currentName(tool)
}

function ofCommand(index: RuleIndex, part: CommandPart, call: PolicyCall, facts: PolicyFacts): Concern | undefined {
  const [first] = part.words
  const isNamed = first !== undefined && 'text' in first
  const candidates = isNamed
    ? [...programNames(first.text).flatMap((name) => index.commands.get(name) ?? []), ...index.everyCommand]
    : index.everyCommand
  let unsure: PolicyRule | undefined
  for (const each of candidates) {
    const fit = concernsCommand(each.pattern.words, part.words)
    if (fit === 'yes') return { rule: each.rule, isUnsure: false }
    if (fit === 'maybe') unsure ??= each.rule
  }
  // A program that is known only when it runs may be any.
  if (!isNamed) unsure ??= firstCommandRule(index)
  const rule = unsure ?? ofGuess(index, part) ?? ofNamedFiles(index, part, call, facts)
  return rule && { rule, isUnsure: true }
}

/** A rule about a command that may stand in the words of a program of which little is known. */
function ofGuess({ commands }: RuleIndex, part: CommandPart): PolicyRule | undefined {
  if (commands.size === 0 || part.isProse) return undefined
  for (const words of guessedCommands(part.words)) {
    const candidates = programNames(programOf(words)).flatMap((name) => commands.get(name) ?? [])
    const found = candidates.find(({ pattern }) => concernsCommand(pattern.words, words) !== 'no')
    if (found) return found.rule
  }
  return undefined
}

function programNames(program: string): string[] {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return name === program ? [program] : [program, name]
}

/** A rule about what these paths may stand for: they may have globs, and may be whole trees. */
function reaching(
  { files }: RuleIndex,
  paths: readonly string[],
  { use, isTree = false }: { readonly use: 'read' | 'write'; readonly isTree?: boolean },
  call: PolicyCall,
  facts: PolicyFacts,
): PolicyRule | undefined {
  const bases = { root: [], home: segmentsOf(call.home), project: segmentsOf(call.project) }
  for (const place of paths.flatMap((path) => bothPlaces(path, facts))) {
    const fixed = fixedFolder(place)
    const names = namesOf(place)
    for (const [folder, rules] of files) {
      const isBelow = isInside(fixed, folder)
      if (!isBelow && !isInside(folder, fixed)) continue
      const isReached = isTree && isBelow && place === fixed
      const found = rules.find(
        ({ pattern }) =>
          pattern.use === use && (isReached || reachesPath(fromRoot(pattern.path, bases), names, isTree)),
      )
      if (found) return found.rule
    }
  }
  return undefined
}

/** As what asks or denies means it. */
function fromRoot(
  path: FileRule['pattern']['path'],
  bases: Readonly<Record<'root' | 'home' | 'project', readonly PatternSegment[]>>,
): readonly PatternSegment[] {
  if (!path) return [{ anyDepth: true }]
  const segments = path.isName ? [{ anyDepth: true as const }, ...path.segments] : path.segments
  return [...bases[path.base], ...segments]
}

/** A rule about a file that a command names: what the program does with it is not known, or it reads it. */
function ofNamedFiles(
  index: RuleIndex,
  part: CommandPart,
  call: PolicyCall,
  facts: PolicyFacts,
): PolicyRule | undefined {
  if (index.files.size === 0) return undefined
  const uses = isKnownToRead(part) ? (['read'] as const) : (['read', 'write'] as const)
  const paths = writtenPaths(part)
  for (const use of uses) {
    for (const path of paths) {
      const rule = ofPath(index, { use, path }, call, facts)
      if (rule) return rule
    }
    const isTree = takesTree(part.words, use)
    const wide = isTree ? paths : paths.filter((path) => path !== fixedFolder(path))
    const own = isTree && use === 'read' && mayTakeOwnFolder(part.words) ? foldersOf(part) : []
    const rule = reaching(index, [...wide, ...own], { use, isTree }, call, facts)
    if (rule) return rule
  }
  return undefined
}

function ofPath(
  index: RuleIndex,
  { use, path }: { use: 'read' | 'write'; path: string | undefined },
  call: PolicyCall,
  { realPaths }: PolicyFacts,
): PolicyRule | undefined {
  if (path === undefined) return undefined
  // By its own name, and by where it leads.
  const places = new Set([path, realPaths.get(path) ?? path])
  for (const place of places) {
    const found = fileRulesFor(index, place).find(
      ({ pattern }) => pattern.use === use && isPathOf(pattern, place, call, 'wide'),
    )
    if (found) return found.rule
  }
  return undefined
}

function isPathOf(
  { path, use }: FileRule['pattern'],
  place: string,
  call: PolicyCall,
  reading: 'narrow' | 'wide',
): boolean {
  if (!path) return reading === 'wide'
  const base = baseFolder(path.base, call)
  if (!isInside(base, place)) return false
  const names = place.slice(base === '/' ? 1 : base.length + 1).split('/')
  if (reading === 'wide') {
    const segments = path.isName ? [{ anyDepth: true as const }, ...path.segments] : path.segments
    return fitsPath(segments, names, { hidden: true, below: true })
  }
  // Stricter than for reading: what lies in `.git` or `.vscode` may decide what other programs run.
  return fitsPath(path.segments, names, { hidden: use === 'read', below: false })
}

function isAbout(
  pattern: CountedRule['pattern'],
  action: Exclude<CallAction, { type: 'command' | 'file' }>,
  reading: 'narrow' | 'wide',
): boolean {
  if (action.type === 'fetch') return pattern.about === 'fetch' && fitsAddress(pattern.address, action.url, reading)
  if (action.type !== 'mcp' || pattern.about !== 'mcp') return false
  const { server, tool } = action
  if (reading === 'wide') {
    const name = `mcp__${server}__${tool}`
    return pattern.tool === undefined
      ? name.startsWith(`mcp__${pattern.server}__`)
      : name === `mcp__${pattern.server}__${pattern.tool}`
  }
  // Where the server's name ends is not certain otherwise.
  const isClear = !/__|_$/.test(server) && !/__|^_/.test(tool)
  return isClear && server === pattern.server && (pattern.tool === undefined || tool === pattern.tool)
}

export type Allowance = { readonly rule: PolicyRule } | { readonly why: string }

/** What other parts of the same line may do before this one runs. */
export interface OtherParts {
  readonly changesElse: boolean
  /** Whether one of them is a command that may make or move links. */
  readonly movesElse: boolean
}

const MOVED = 'An earlier command in this line may change where its paths lead.'

function dependsOnPaths(subject: Subject, pattern: CountedRule['pattern']): boolean {
  if (subject.type === 'path') return true
  const read = subject.type === 'command' ? readingWords(subject.words) : undefined
  if (read && 'files' in read && read.files.size === 0) return false
  return pattern.about === 'command' && pattern.words?.some((word) => 'any' in word) === true
}

/** The rule that allows a subject, or why none does. */
export function allowing(
  index: RuleIndex,
  subject: Subject,
  call: PolicyCall,
  facts: PolicyFacts,
  { changesElse, movesElse }: OtherParts,
): Allowance {
  let why: string | undefined
  for (const counted of candidatesFor(index, subject, call, facts)) {
    const { rule, pattern } = counted
    const pins = rule.pins ?? []
    const reason =
      whyPinsBroken(pins, facts, changesElse) ??
      (movesElse && dependsOnPaths(subject, pattern) ? MOVED : undefined) ??
      (subject.type === 'command' && pattern.about === 'command' && pattern.words
        ? whyNotAllowed({ words: pattern.words, pins }, subject, call, facts)
        : undefined)
    if (reason === undefined) return { rule }
    why ??= reason
  }
  return { why: why ?? noRule(subject) }
}

function noRule(subject: Subject): string {
  if (subject.type === 'path') {
    const { use, path } = subject
    const file = path === undefined ? 'a file that is known only at run time' : inCode(path)
    return `It ${use === 'read' ? 'reads' : 'writes to'} ${file}, and no rule allows that.`
  }
  if (subject.type === 'whole') return `No rule allows ${inCode(subject.text)}.`
  const [first] = subject.words
  const program = first ? writtenWord(first) : ''
  return `No rule allows ${inCode(program)}${subject.words.length > 1 ? ' with these arguments' : ''}.`
}

/** Rules that have the words, the path or the address of a subject. */
export function candidatesFor(
  index: RuleIndex,
  subject: Subject,
  call: PolicyCall,
  { realPaths }: PolicyFacts,
): readonly CountedRule[] {
  if (subject.type === 'command') {
    const [first] = subject.words
    const named = first && 'text' in first ? (index.commands.get(first.text) ?? []) : []
    return named.filter(({ pattern }) => pattern.words !== undefined && hasWords(pattern.words, subject.words))
  }
  if (subject.type === 'path') {
    const { path, isSure, use } = subject
    const place = path === undefined || !isSure ? undefined : realPaths.get(path)
    if (place === undefined) return []
    return fileRulesFor(index, place).filter(
      ({ pattern }) => pattern.use === use && isPathOf(pattern, place, call, 'narrow'),
    )
  }
  return index.others.filter(({ pattern }) =>
    subject.action.type === 'tool'
      ? pattern.about === 'tool' && isTool(pattern.name, call.tool)
      : isAbout(pattern, subject.action, 'narrow'),
  )
}

function whyPinsBroken(
  pins: readonly { readonly path: string; readonly sha256: string | null }[],
  { hashes }: PolicyFacts,
  changesElse: boolean,
): string | undefined {
  const broken = pins.find(({ path, sha256 }) => hashes.get(path) !== sha256)
  if (broken) return `${inCode(broken.path)} has changed since the rule was made.`
  // What comes before it in the line may change the file, after it was looked at.
  return pins.length > 0 && changesElse
    ? 'The rule is pinned to files, and another command in this line may change them.'
    : undefined
}
