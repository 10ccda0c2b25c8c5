import type { Clock } from '@holdpoint/core/clock'
import type { Records } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { RuleUse } from '@holdpoint/schema/policy'
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
  readonly records: Records
  readonly clock: Clock
  readonly rules: Pick<PolicyRules, 'list' | 'subscribe'>
  readonly warn: LogFunction
}

export async function createRuleUses({ records, clock, rules, warn }: RuleUsesDeps): Promise<RuleUses> {
  const uses = new Map<string, RuleUse>()
  /** Changed or gone since the last writing. */
  const unwritten = new Set<string>()
  let cancel: (() => void) | undefined
  let writing = Promise.resolve()
  for (const { key, value } of await records.list(COLLECTION)) {
    const read = RuleUse.safeParse(value)
    if (read.success) uses.set(key, read.data)
  }
  dropRemoved()
  const unsubscribe = rules.subscribe(dropRemoved)

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
        await (use ? records.put(COLLECTION, id, use) : records.remove(COLLECTION, id))
      }
    })
    writing = writing.catch((error: unknown) => warn('rule_uses_not_persisted', { error: String(error) }))
    await writing
  }

  return {
    all: () => Object.fromEntries(uses),
    onStored(stored) {
      for (const { event } of stored) {
        if (event.type !== 'ask-settled' || event.outcome.via !== 'rule') continue
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
