import type { ActionOfCall, WantedCall } from '@holdpoint/core/driver'
import { startDryRun } from '@holdpoint/core/policy/dry-run'
import { aboutPattern, type KeptCall, keptCall } from '@holdpoint/core/policy/kept-call'
import { parseRulePattern } from '@holdpoint/core/policy/rule-pattern'
import { MIN_ALLOWED, type Suggestion, suggestions } from '@holdpoint/core/policy/suggestions'
import type { Store } from '@holdpoint/core/store'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { Ask } from '@holdpoint/schema/ask'
import type { DryRunResult } from '@holdpoint/schema/endpoints/policy'
import type { AskId } from '@holdpoint/schema/id'
import type { PolicyRule } from '@holdpoint/schema/policy'
import type { PolicyRules } from './policy-rules.ts'

const DAY_MS = 24 * 3_600_000
/** Denied asks that are named, newest first. */
const MAX_NAMED = 50
/** More than these nobody reads. */
const MAX_SUGGESTED = 100
/** Calls that are judged in one go: some milliseconds. */
const JUDGED_AT_ONCE = 500

export interface PastCallsDeps {
  readonly store: Store
  readonly rules: Pick<PolicyRules, 'list'>
  /** What a call of this kind of agent does. */
  readonly actionOf: (agent: string, call: WantedCall) => ActionOfCall
  readonly home: string
  /** Files and folders that no rule allows to write, absolute. */
  readonly guarded: readonly string[]
  readonly now: () => number
}

/** What rules would have done to past asks, and which rules past asks suggest. */
export function createPastCalls({ store, rules, actionOf, home, guarded, now }: PastCallsDeps) {
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

  function take(ask: Ask): KeptCall | undefined {
    if (!ask.tool) return undefined
    const { cwd } = ask.context
    const call = { tool: ask.tool, cwd }
    return keptCall({
      agent: ask.agent,
      sessionAgent: ask.agent,
      tool: ask.tool.name,
      cwd,
      home,
      ...actionOf(ask.agent, call),
    })
  }

  return {
    /** Keeps the parts of the calls that were settled since. */
    index: (options: { pause: () => Promise<unknown>; signal?: AbortSignal }) => store.indexCalls(take, options),

    async dryRun(rule: PolicyRule, days: number, signal?: AbortSignal): Promise<DryRunResult> {
      await store.indexCalls(take, { pause, ...(signal && { signal }) })
      const parsed = parseRulePattern(rule.pattern, rule.effect)
      // What asks or denies is compared with a program by its path, too.
      const about = 'pattern' in parsed && rule.effect === 'allow' ? aboutPattern(parsed.pattern) : undefined
      const past = await store.pastCalls({ from: now() - days * DAY_MS, ...(about !== undefined && { about }) })
      const add = startDryRun({ rule, rules: rules.list(), home, guarded, now: now() })
      let found = add([])
      for (let at = 0; at < past.length; at += JUDGED_AT_ONCE) {
        signal?.throwIfAborted()
        found = add(past.slice(at, at + JUDGED_AT_ONCE))
        await pause()
      }
      const { denied, ...counts } = found
      const named = denied.toSorted().toReversed().slice(0, MAX_NAMED)
      return { days, ...counts, denied: denied.length, deniedAsks: await titled(named) }
    },

    async suggestions(): Promise<readonly Suggestion[]> {
      await store.indexCalls(take, { pause })
      const allowed = await store.allowedCalls({ min: MIN_ALLOWED })
      const found: Suggestion[] = []
      for (const project of new Set(allowed.map((calls) => calls.project))) {
        const own = allowed.filter((calls) => calls.project === project)
        found.push(...suggestions({ allowed: own, rules: rules.list(), home, guarded, now: now() }))
        await pause()
      }
      return found.sort((a, b) => b.saved - a.saved).slice(0, MAX_SUGGESTED)
    },
  }

  async function titled(ids: readonly AskId[]) {
    const found = []
    for (const id of ids) {
      const record = await unlessDamaged(store.ask(id))
      if (record) found.push({ id, title: record.ask.title, at: record.outcome?.at ?? record.ask.raisedAt })
    }
    return found
  }
}
export type PastCallsService = ReturnType<typeof createPastCalls>
