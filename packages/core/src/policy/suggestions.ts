import type { AskId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { judge, pathsOfParts } from './judge.ts'
import { asWritten, type ReadCall, readKeptCall } from './kept-call.ts'
import { escapedPath } from './path-pattern.ts'
import { isInside, whyOutside } from './places.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import { parseRulePattern } from './rule-pattern.ts'
import { commandRule } from './rule-text.ts'
import { whatItRuns } from './running-programs.ts'
import { unsavedRule } from './unsaved-rule.ts'

/** How often people have to have allowed something before a rule for it is suggested. */
export const MIN_ALLOWED = 5

/** Calls of one project with the same stem, or one call of it alone. People denied none of them. */
export interface AllowedCalls {
  readonly project: string
  readonly trusted: boolean
  /** What all of them begin with; none for a single call. */
  readonly stem: string | undefined
  /** Texts of kept calls, all different. */
  readonly calls: readonly string[]
  /** How many asks people allowed. */
  readonly allowed: number
  /** The newest of them. */
  readonly latest: AskId
}

export interface Suggestion {
  readonly rule: Pick<PolicyRule, 'effect' | 'agent' | 'pattern' | 'scope'>
  /** The asks that it would have saved. */
  readonly saved: number
  /** The newest of them. */
  readonly latest: AskId
}

export interface SuggestionsGiven {
  /** Single calls first: the narrowest rule wins. */
  readonly allowed: readonly AllowedCalls[]
  readonly rules: readonly PolicyRule[]
  readonly home: string
  readonly guarded: readonly string[]
  readonly now: number
}

/**
 * The narrowest rule for what people have allowed again and again in a project, if such a rule allows all of it and none
 * in force does. Never for what may change things outside of the project. Most asks saved first.
 */
export function suggestions({ allowed, rules, home, guarded, now }: SuggestionsGiven): readonly Suggestion[] {
  const found: Suggestion[] = []
  /** By project: what a narrower suggestion allows needs no wider one. */
  const made = new Map<string, PolicyRule[]>()
  for (const { project, trusted, stem, calls, allowed: saved, latest } of allowed) {
    if (saved < MIN_ALLOWED) continue
    const reads = calls.map(readKeptCall)
    const [first] = reads
    const pattern = first && patternFor(first, stem, project)
    if (!pattern || 'error' in parseRulePattern(pattern, 'allow')) continue
    const rule = { effect: 'allow', agent: first.agent, pattern, scope: { kind: 'project', folder: project } } as const
    const whole = unsavedRule(rule)
    const effectOf = (given: readonly PolicyRule[], read: ReadCall) => {
      const call: PolicyCall = { ...read, project, trusted, home }
      const facts: PolicyFacts = { now, hashes: new Map(), guarded, realPaths: asWritten(pathsOfParts(read.parts)) }
      return judge(given, call, facts, read.parts).effect
    }
    if (!reads.every((read) => staysInside(read, project) && effectOf([whole], read) === 'allow')) continue
    const narrower = made.get(project) ?? []
    if (reads.every((read) => effectOf([...rules, ...narrower], read) !== 'none')) continue
    made.set(project, [...narrower, whole])
    found.push({ rule, saved, latest })
  }
  return found.sort((a, b) => b.saved - a.saved)
}

function patternFor({ action, parts }: ReadCall, stem: string | undefined, project: string): string | undefined {
  if (action.type === 'file') {
    if (!isInside(project, action.path) || action.path === project) return undefined
    const path = action.path.slice(project.length + 1)
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    // Files at the top have no folder but the project itself, and all of that is more than anybody has looked at.
    if (stem !== undefined && folder === '') return undefined
    const tool = action.use === 'read' ? 'Read' : 'Edit'
    return `${tool}(/${stem === undefined ? escapedPath(path) : `${escapedPath(folder)}**`})`
  }
  const [part] = parts.subjects
  // What runs other programs needs a look at the files that it runs.
  if (part?.type !== 'command' || whatItRuns(part.words) !== undefined) return undefined
  const words = part.words.flatMap((word) => ('text' in word ? [word.text] : []))
  if (words.length < part.words.length) return undefined
  return stem === undefined ? commandRule(words) : commandRule(words.slice(0, stem.split(' ').length), true)
}

/** Whether every word that may be a path stays in the project. */
function staysInside({ parts, cwd }: ReadCall, project: string): boolean {
  const realPaths = asWritten(pathsOfParts(parts))
  return parts.subjects.every((subject) => {
    if (subject.type === 'path') return subject.path !== undefined && isInside(project, subject.path)
    if (subject.type !== 'command') return false
    // Its words are among those of the program that runs it.
    if (subject.isInner) return true
    const folder = subject.folder ?? cwd
    return (
      folder !== undefined &&
      isInside(project, folder) &&
      subject.words.every(
        (word) =>
          !whyOutside(
            word,
            { folder, isDash: 'text' in word && word.text.startsWith('-') },
            { project },
            { realPaths },
          ),
      )
    )
  })
}
