import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { type CountedRules, countedRules } from './counted-rules.ts'
import { concernsAny, judgeParts, pathsOfParts } from './judge.ts'
import { asWritten, readKeptCall } from './kept-call.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'

/** Asks for the same call in one session. */
export interface PastCalls {
  /** The text of the kept call. */
  readonly call: string
  readonly project: string
  readonly sessionId: SessionId
  readonly trusted: boolean
  /** How many, however they ended. */
  readonly asks: number
  /** How many of them a person allowed. */
  readonly allowed: number
  /** Those that a person denied. */
  readonly denied: readonly AskId[]
}

export interface DryRun {
  /** How many asks the rule would have decided instead of a person. */
  readonly asks: number
  /** How many of them a person allowed. */
  readonly allowed: number
  /** Those that a person denied. */
  readonly denied: readonly AskId[]
}

export interface DryRunGiven {
  readonly rule: PolicyRule
  /** The rules in force, with or without an older revision of this one. */
  readonly rules: readonly PolicyRule[]
  readonly home: string
  readonly guarded: readonly string[]
  readonly now: number
}

/**
 * What a rule would have done to asks of the past. Files are as they were written in the calls: where links led then is
 * not known, and files that the rule pins count as unchanged. The function adds some calls and returns what all so far
 * amount to, so that a long past can be gone through with pauses.
 */
export function startDryRun({ rule, rules, home, guarded, now }: DryRunGiven): (past: readonly PastCalls[]) => DryRun {
  const others = rules.filter(({ id }) => id !== rule.id)
  const [alone, before, after] = [sortedOut([rule]), sortedOut(others), sortedOut([...others, rule])]
  const hashes = new Map((rule.pins ?? []).map(({ path, sha256 }) => [path, sha256]))
  const found = { asks: 0, allowed: 0, denied: [] as AskId[] }
  const decided = new Map<string, boolean>()

  return (past) => {
    for (const each of past) {
      const { call, project, sessionId, trusted } = each
      const key = [project, trusted, after.bySession ? sessionId : '', call].join('\0')
      const isDecided = decided.get(key) ?? decides(each)
      decided.set(key, isDecided)
      if (!isDecided) continue
      found.asks += each.asks
      found.allowed += each.allowed
      found.denied.push(...each.denied)
    }
    return found
  }

  function decides({ call: text, project, sessionId, trusted }: PastCalls): boolean {
    const { parts, ...read } = readKeptCall(text)
    const call: PolicyCall = { ...read, project, sessionId, trusted, home }
    const facts: PolicyFacts = { now, hashes, guarded, realPaths: asWritten(pathsOfParts(parts)) }
    // Most calls are about something else: that is found out by one rule, not by all.
    if (!concernsAny(alone.holding(call, now), call, parts, facts)) return false
    const effect = ({ holding }: Sorted) => judgeParts(holding(call, now), call, parts, facts).effect
    return effect(after) === rule.effect && effect(before) !== rule.effect
  }
}

/** Rules that hold for a call, sorted out once for each kind of agent, project and session. */
interface Sorted {
  /** Whether they depend on the session. */
  readonly bySession: boolean
  holding(call: PolicyCall, now: number): CountedRules
}

function sortedOut(rules: readonly PolicyRule[]): Sorted {
  const known = new Map<string, CountedRules>()
  const bySession = rules.some(({ scope }) => scope.kind === 'session')
  return {
    bySession,
    holding(call, now) {
      const key = JSON.stringify([call.agent, call.sessionAgent, call.project, bySession ? call.sessionId : ''])
      const counted = known.get(key) ?? countedRules(rules, call, now)
      known.set(key, counted)
      return counted
    },
  }
}
