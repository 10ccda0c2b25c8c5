import type { Records } from '@holdpoint/core/store'
import { createTurn } from '@holdpoint/core/turns'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import { AskId, type NewId, type RuleId, type SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Actor } from '@holdpoint/schema/outcome'
import { PolicyRule } from '@holdpoint/schema/policy'
import { z } from 'zod'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords, type RecordNow } from '../cluster/kept-records.ts'
import { isOfSomeNode } from '../cluster/node-records.ts'

const COLLECTION = 'policy-rules'
/** Rules of answers that may not be on record yet. */
const PREPARED = 'prepared-policy-rules'
/** With more of them, a verdict would take too long. */
const MAX_RULES = 10_000

export type RuleRefusal =
  | { readonly code: 'not_found' | 'stale' | 'too_many' | 'session_ended' }
  | { readonly code: 'invalid'; readonly why: string }
export type RuleResult =
  | { readonly ok: true; readonly rule: PolicyRule }
  | { readonly ok: false; readonly refusal: RuleRefusal }

export type PrepareResult =
  | { readonly ok: true; readonly id: RuleId; keep(): Promise<void>; drop(): Promise<void> }
  | { readonly ok: false; readonly refusal: RuleRefusal }

/** The rules that were made in the app or over the API. A rule holds only after it is on disk, until it is removed there. */
export interface PolicyRules {
  /** All of them, including expired ones. The same array until one changes. */
  list(): readonly PolicyRule[]
  add(rule: NewRule, by: Actor): Promise<RuleResult>
  /** Adds all of them, or refuses before the first if one cannot be added. */
  addAll(rules: readonly NewRule[], by: Actor): Promise<RuleRefusal | undefined>
  /** Of two who edit the same revision, the second is refused: `stale` (T33). */
  change(id: RuleId, revision: number, rule: NewRule, by: Actor): Promise<RuleResult>
  /**
   * Saves the rule that an answer makes, without effect until the answer is on record. `keep` gives it that effect at once.
   * After a crash the record decides.
   */
  prepare(rule: NewRule, by: Actor, askId: AskId): Promise<PrepareResult>
  /** The rule as it would be saved, new or in the place of one; and what is wrong with it, if something is. */
  check(rule: NewRule, id?: RuleId): { readonly rule: PolicyRule; readonly problem: string | undefined }
  /** Says whether there was one. An unreadable one can be removed, too. */
  remove(id: string): Promise<boolean>
  /** Removes all of them, or refuses before the first if one is not there any more, or may not be removed like this. */
  removeAll(ids: readonly RuleId[], may: (rule: PolicyRule) => boolean): Promise<RuleRefusal | undefined>
  /** Rules on disk that cannot be read. While there is one, nobody knows what it forbids. */
  unreadable(): readonly string[]
  /** Called after each change. */
  subscribe(listener: () => void): () => void
}

export interface PolicyRulesDeps {
  readonly records: FollowedRecords
  /** Of this machine: what its own answers are about to make. */
  readonly ownRecords: Records
  readonly newId: NewId
  readonly now: () => number
  /** Which life of its agent a session is in; undefined if it is not live. */
  readonly epochOf: (id: SessionId) => number | undefined
  /** What is wrong with a rule, if something is: one plain sentence. */
  readonly check: (rule: PolicyRule) => string | undefined
  /** Whether the answer that made a rule is on record. */
  readonly isAnswered: (askId: AskId, id: RuleId) => Promise<boolean>
  readonly warn: LogFunction
}

const Prepared = z.strictObject({ rule: PolicyRule, askId: AskId })

export async function createPolicyRules(deps: PolicyRulesDeps): Promise<PolicyRules> {
  const { records, ownRecords, newId, now, check } = deps
  const byId = new Map<string, PolicyRule>()
  const unreadable = new Set<string>()
  /** Allow rules that were removed here, and may still be on the disk. */
  const ended = new Set<string>()
  const listeners = new Set<() => void>()
  let all: readonly PolicyRule[] = []
  let isAddingMany = false
  const kept = await keepRecords(records, COLLECTION, take)
  for (const { key, value } of await ownRecords.list(PREPARED)) {
    const read = Prepared.safeParse(value)
    const isKept = read.success && (await deps.isAnswered(read.data.askId, read.data.rule.id))
    if (isKept && !byId.has(key) && check(read.data.rule) === undefined) await save(read.data.rule)
    else await ownRecords.remove(PREPARED, key)
  }
  /** One change at a time: the look at the revision and the write are one step. */
  const inTurn = createTurn()

  function changed() {
    if (isAddingMany) return
    all = [...byId.values()]
    for (const listener of listeners) listener()
  }

  function take(records: readonly RecordNow[]) {
    let isNews = false
    for (const { key, value } of records) {
      if (value === undefined) ended.delete(key)
      const isThere = value !== undefined && !ended.has(key)
      const rule = isThere ? readable(key, value) : undefined
      isNews ||= isThere || byId.has(key) || unreadable.has(key)
      if (rule) byId.set(key, rule)
      else byId.delete(key)
      if (isThere && !rule) unreadable.add(key)
      else unreadable.delete(key)
    }
    if (isNews) changed()
  }

  /** One that a newer version has written, or that was damaged, must not be guessed at. */
  function readable(key: string, value: unknown): PolicyRule | undefined {
    const { data } = PolicyRule.safeParse(value)
    return data?.id === key && check(data) === undefined ? data : undefined
  }

  function end({ id }: PolicyRule) {
    ended.add(id)
    byId.delete(id)
  }

  function made(rule: NewRule, by: Actor, id = newId('rul'), revision = 0): PolicyRule {
    const epoch = rule.scope.kind === 'session' ? deps.epochOf(rule.scope.sessionId) : undefined
    return { ...rule, ...(epoch !== undefined && { epoch }), id, by, at: now(), revision }
  }

  function whyRefused(rule: PolicyRule): RuleRefusal | undefined {
    if (rule.scope.kind === 'session' && rule.epoch === undefined) return { code: 'session_ended' }
    const why = check(rule)
    return why === undefined ? undefined : { code: 'invalid', why }
  }

  /** Why these cannot all be added, if they cannot. */
  function refusalOf(rules: readonly PolicyRule[]): RuleRefusal | undefined {
    if (byId.size + rules.length > MAX_RULES) return { code: 'too_many' }
    return invalid(rules)
  }

  function invalid(rules: readonly PolicyRule[]): RuleRefusal | undefined {
    return rules.map(whyRefused).find((each) => each !== undefined)
  }

  /** Of an answer that is on record. */
  async function save(rule: PolicyRule): Promise<void> {
    try {
      await kept.put(rule.id, rule)
    } catch (error) {
      // Nobody at another gateway sees it there, or could end it here: the next start looks at the record again.
      if (records.follow && byId.delete(rule.id)) changed()
      throw error
    }
    // Somebody has removed it meanwhile, here or at another gateway.
    if (!(await ownRecords.remove(PREPARED, rule.id))) await kept.remove(rule.id)
  }

  /** On whichever machine: what is prepared there would hold from its next start on. Says whether there was one. */
  async function unprepare(ids: readonly string[]): Promise<boolean> {
    let wasPrepared = false
    for (const collection of await records.collections()) {
      if (!isOfSomeNode(collection, PREPARED)) continue
      for (const id of ids) wasPrepared = (await records.remove(collection, id)) || wasPrepared
    }
    return wasPrepared
  }

  async function put(rule: PolicyRule): Promise<RuleResult> {
    await kept.put(rule.id, rule)
    return { ok: true, rule }
  }

  return {
    list: () => all,
    add: (given, by) =>
      inTurn(async () => {
        const rule = made(given, by)
        const refusal = refusalOf([rule])
        return refusal ? { ok: false, refusal } : put(rule)
      }),
    addAll: (given, by) =>
      inTurn(async () => {
        const rules = given.map((rule) => made(rule, by))
        const refusal = refusalOf(rules)
        if (refusal) return refusal
        isAddingMany = true
        try {
          for (const rule of rules) await kept.put(rule.id, rule)
        } finally {
          isAddingMany = false
          changed()
        }
        return undefined
      }),
    change: (id, revision, given, by) =>
      inTurn(async () => {
        let refusal: RuleRefusal | undefined
        const rule = await kept.update(id, (now) => {
          const known = ended.has(id) ? undefined : readable(id, now)
          if (known?.revision === revision) {
            const changed = made(given, by, id, revision + 1)
            refusal = invalid([changed])
            return refusal ? undefined : changed
          }
          refusal = { code: known ? 'stale' : 'not_found' }
          return undefined
        })
        return rule ? { ok: true, rule } : { ok: false, refusal: refusal ?? { code: 'not_found' } }
      }),
    prepare: (given, by, askId) =>
      inTurn(async () => {
        const rule = made(given, by)
        const { id } = rule
        const refusal = refusalOf([rule])
        if (refusal) return { ok: false, refusal }
        await ownRecords.put(PREPARED, id, { rule, askId })
        const settle = (isKept: boolean) =>
          inTurn(async () => void (await (isKept ? save(rule) : ownRecords.remove(PREPARED, id)))).catch(
            (error: unknown) => deps.warn('rule_not_persisted', { error: String(error) }),
          )
        return {
          ok: true,
          id,
          keep() {
            byId.set(id, rule)
            // Before others hear of it: whoever removes it at once has to come after.
            const kept = settle(true)
            changed()
            return kept
          },
          drop: () => settle(false),
        }
      }),
    check(given, id = newId('rul')) {
      const rule = { ...given, id, at: now(), revision: 0 }
      return { rule, problem: check(rule) }
    },
    remove: (id) =>
      inTurn(async () => {
        const known = byId.get(id)
        // An allow ends at once, also if the disk does not take it: to ask is always safe. What is stricter stays until then.
        if (known?.effect === 'allow') {
          end(known)
          changed()
        }
        // Also what does not hold here: what the disk kept at an earlier try, or of an answer that may be on record, would hold
        // from the next start on.
        const wasPrepared = await unprepare([id])
        const wasSaved = await kept.remove(id)
        return known !== undefined || wasPrepared || wasSaved
      }),
    removeAll: (ids, may) =>
      inTurn(async () => {
        const rules = ids.flatMap((id) => byId.get(id) ?? [])
        if (rules.length < ids.length || !rules.every(may)) return { code: 'stale' }
        // As above: what allows ends before the first is removed from the disk.
        for (const rule of rules) if (rule.effect === 'allow') end(rule)
        changed()
        const left = new Set(rules)
        try {
          await unprepare(ids)
          for (const rule of rules) {
            await kept.remove(rule.id)
            left.delete(rule)
          }
        } finally {
          // What the disk kept would hold again from the next start on: it is listed, and the next try removes it.
          for (const rule of left) {
            ended.delete(rule.id)
            byId.set(rule.id, rule)
          }
          changed()
        }
        return undefined
      }),
    unreadable: () => [...unreadable],
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
