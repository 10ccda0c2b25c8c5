import type { Effect, PolicyRule } from '@holdpoint/schema/policy'
import type { PatternSegment } from './path-pattern.ts'
import { isInside } from './places.ts'
import type { PolicyCall } from './policy-call.ts'
import { parseRulePattern, type RulePattern } from './rule-pattern.ts'

/** A rule that holds for a call, with its pattern read. */
export interface CountedRule<Pattern extends RulePattern = RulePattern> {
  readonly rule: PolicyRule
  readonly pattern: Pattern
}

export type CommandRule = CountedRule<Extract<RulePattern, { about: 'command' }>>
export type FileRule = CountedRule<Extract<RulePattern, { about: 'file' }>>

/** The rules of one effect that hold for a call, indexed by what they match: each part is compared with few of them. */
export interface RuleIndex {
  /** By the first word. */
  readonly commands: ReadonlyMap<string, readonly CommandRule[]>
  /** For every program. */
  readonly everyCommand: readonly CommandRule[]
  /** By the folder that its pattern begins with, absolute. */
  readonly files: ReadonlyMap<string, readonly FileRule[]>
  readonly others: readonly CountedRule[]
}

export interface CountedRules extends Readonly<Record<Effect, RuleIndex>> {
  /** The first rule that asks or denies and cannot be read. */
  readonly broken: PolicyRule | undefined
}

/** What was read of a rule, as long as its text is the same. */
interface ReadRule {
  readonly text: string
  readonly effect: Effect
  /** Undefined where its pattern cannot be read. Made once: each verdict sorts out all rules. */
  readonly counted: CountedRule | undefined
  /** Of a rule for files: the folder that its pattern begins with, for the last base folder. The same text, so that a map finds it fast. */
  folder?: { readonly base: string; readonly text: string }
}

const read = new WeakMap<PolicyRule, ReadRule>()

function readRule(rule: PolicyRule): ReadRule {
  const known = read.get(rule)
  if (known && known.text === rule.pattern && known.effect === rule.effect) return known
  const parsed = parseRulePattern(rule.pattern, rule.effect)
  const pattern = 'pattern' in parsed ? parsed.pattern : undefined
  const now: ReadRule = { text: rule.pattern, effect: rule.effect, counted: pattern && { rule, pattern } }
  read.set(rule, now)
  return now
}

interface Building {
  readonly commands: Map<string, CommandRule[]>
  readonly everyCommand: CommandRule[]
  readonly files: Map<string, FileRule[]>
  readonly others: CountedRule[]
}

/** Sorts out the rules that hold for this call now. */
export function countedRules(rules: readonly PolicyRule[], call: PolicyCall, now: number): CountedRules {
  const indexes: Record<Effect, Building> = { allow: empty(), ask: empty(), deny: empty() }
  let broken: PolicyRule | undefined
  for (const rule of rules) {
    if (!holds(rule, call, now)) continue
    const known = readRule(rule)
    if (known.counted) add(indexes[rule.effect], known.counted, known, call)
    else if (rule.effect !== 'allow') broken ??= rule
  }
  return { ...indexes, broken }
}

function empty(): Building {
  return { commands: new Map(), everyCommand: [], files: new Map(), others: [] }
}

function holds({ agent, scope, until, effect, epoch }: PolicyRule, call: PolicyCall, now: number): boolean {
  if (agent !== '*' && agent !== call.agent && agent !== call.sessionAgent) return false
  // At the very moment of its end, an allow has expired, but an ask or deny has not.
  if (until !== undefined && (effect === 'allow' ? until <= now : until < now)) return false
  if (scope.kind === 'session')
    return scope.sessionId === call.sessionId && (epoch === undefined || epoch >= (call.lifeEpoch ?? epoch))
  return scope.kind === 'everywhere' || isInside(scope.folder, call.project)
}

function add(index: Building, counted: CountedRule, known: ReadRule, call: PolicyCall) {
  if (isAbout(counted, 'command')) {
    const first = counted.pattern.words?.[0]
    if (first && 'text' in first) push(index.commands, first.text, counted)
    else index.everyCommand.push(counted)
  } else if (isAbout(counted, 'file')) push(index.files, folderOf(counted.pattern, known, call), counted)
  else index.others.push(counted)
}

function isAbout<About extends RulePattern['about']>(
  counted: CountedRule,
  about: About,
): counted is CountedRule<Extract<RulePattern, { about: About }>> {
  return counted.pattern.about === about
}

function push<Item>(map: Map<string, Item[]>, key: string, item: Item) {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}

function folderOf({ path }: FileRule['pattern'], known: ReadRule, call: PolicyCall): string {
  if (!path) return '/'
  const base = baseFolder(path.base, call)
  if (path.isName) return base
  if (known.folder?.base !== base) known.folder = { base, text: folderIn(base, path.segments) }
  return known.folder.text
}

function folderIn(base: string, segments: readonly PatternSegment[]): string {
  const names: string[] = []
  for (const segment of segments) {
    const name = literal(segment)
    if (name === undefined) break
    names.push(name)
  }
  return [base === '/' ? '' : base, ...names].join('/') || '/'
}

function literal(segment: PatternSegment): string | undefined {
  return 'pieces' in segment && segment.pieces.length === 1 ? segment.pieces[0] : undefined
}

/** The folder that a path pattern starts from. */
export function baseFolder(
  base: 'project' | 'home' | 'root',
  { project, home }: Pick<PolicyCall, 'project' | 'home'>,
): string {
  if (base === 'root') return '/'
  return base === 'home' ? home : project
}

/** The rules whose pattern begins with a folder that this path is, or lies in. */
export function fileRulesFor({ files }: RuleIndex, path: string): readonly FileRule[] {
  if (files.size === 0) return []
  const found = [...(files.get('/') ?? [])]
  for (let at = path.indexOf('/', 1); at >= 0; at = path.indexOf('/', at + 1)) {
    found.push(...(files.get(path.slice(0, at)) ?? []))
  }
  if (path !== '/') found.push(...(files.get(path) ?? []))
  return found
}

/** Any rule of these for commands; one for every command first. */
export function firstCommandRule({ everyCommand, commands }: RuleIndex): PolicyRule | undefined {
  const [first] = everyCommand
  if (first) return first.rule
  for (const [counted] of commands.values()) if (counted) return counted.rule
  return undefined
}

/** Any rule of these for reading or writing files. */
export function firstFileRule({ files }: RuleIndex, use: 'read' | 'write'): PolicyRule | undefined {
  for (const rules of files.values()) {
    const found = rules.find(({ pattern }) => pattern.use === use)
    if (found) return found.rule
  }
  return undefined
}
