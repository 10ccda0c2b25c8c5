import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { RuleUse } from '@holdpoint/schema/policy'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords, type RecordNow } from '../cluster/kept-records.ts'
import type { PolicyRules } from './policy-rules.ts'

const COLLECTION = 'rule-uses'
/** Not for each call: what a crash loses is a few counts. */
const WRITE_MS = 30_000

/** How often rules have decided, and when last. Approximate: counted from events as they come, and stored now and then. */
export interface RuleUses {
  all(): Readonly<Record<string, RuleUse>>
  onStored(stored: readonly Stored[]): void
  close(): Promise<void>
}

export interface RuleUsesDeps {
  readonly records: FollowedRecords
  readonly clock: Clock
  readonly rules: Pick<PolicyRules, 'list' | 'subscribe'>
  readonly warn: LogFunction
  /** The other gateways: each counts what was decided on its own machine. */
  readonly cluster?: Pick<Cluster, 'node' | 'home'>
  readonly isOurs: (id: SessionId) => boolean
}

export async function createRuleUses(deps: RuleUsesDeps): Promise<RuleUses> {
  const { clock, rules, warn, cluster } = deps
  /** Behind the id of the rule, in the key of its count. One gateway alone, and the first of several, has none. */
  const end = !cluster || cluster.node === cluster.home ? '' : ` ${cluster.node}`
  const uses = new Map<string, RuleUse>()
  const others = new Map<string, RuleUse>()
  /** Changed or gone since the last writing. */
  const unwritten = new Set<string>()
  let cancel: (() => void) | undefined
  let writing = Promise.resolve()
  let isOpen = false
  const kept = await keepRecords(deps.records, COLLECTION, take)
  isOpen = true
  dropRemoved()
  const unsubscribe = rules.subscribe(dropRemoved)

  function take(now: readonly RecordNow[]) {
    for (const { key, value } of now) {
      const { data } = RuleUse.safeParse(value)
      const [id = '', node] = key.split(' ')
      const isOwn = (node === undefined ? '' : ` ${node}`) === end
      if (!isOwn && data) others.set(key, data)
      else if (!isOwn) others.delete(key)
      // Memory is ahead of what was written of it.
      else if (!isOpen && data) uses.set(id, data)
    }
  }

  function dropRemoved() {
    const known = new Set<string>(rules.list().map(({ id }) => id))
    for (const id of uses.keys()) {
      if (known.has(id)) continue
      uses.delete(id)
      changed(id)
    }
  }

  function changed(id: string) {
    unwritten.add(id)
    cancel ??= clock.after(WRITE_MS, () => void write())
  }

  async function write(): Promise<void> {
    cancel?.()
    cancel = undefined
    writing = writing.then(async () => {
      for (const id of unwritten) {
        unwritten.delete(id)
        const use = uses.get(id)
        await (use ? kept.put(id + end, use) : kept.remove(id + end))
      }
    })
    writing = writing.catch((error: unknown) => warn('rule_uses_not_persisted', { error: String(error) }))
    await writing
  }

  function all(): Record<string, RuleUse> {
    const sums = new Map(uses)
    for (const [key, { count, lastAt }] of others) {
      const [id = ''] = key.split(' ')
      const sum = sums.get(id) ?? { count: 0, lastAt: 0 }
      sums.set(id, { count: sum.count + count, lastAt: Math.max(sum.lastAt, lastAt) })
    }
    return Object.fromEntries(sums)
  }

  return {
    all,
    onStored(stored) {
      for (const { event } of stored) {
        if (event.type !== 'ask-settled' || event.outcome.via !== 'rule' || !deps.isOurs(event.sessionId)) continue
        for (const id of event.outcome.rules ?? []) {
          uses.set(id, { count: (uses.get(id)?.count ?? 0) + 1, lastAt: event.at })
          changed(id)
        }
      }
    },
    async close() {
      unsubscribe()
      await write()
    },
  }
}
