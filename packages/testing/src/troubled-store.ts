import { type Append, CommitInDoubt, type Store, StoreFault } from '@holdpoint/core/store'
import { overrideStore } from './override-store.ts'
import { openTestStore } from './test-store.ts'

/**
 * A store whose disk is full, or whose next commit is reported as failed at its last step. It is not on the disk with
 * `lost`, and is with the others: `flush-failed` when the log can be read, `doubt` when it cannot for a moment, `blind`
 * when it cannot until another trouble is set.
 */
export async function createTroubledStore() {
  const inner = await openTestStore()
  let trouble: 'none' | 'full' | 'lost' | 'flush-failed' | 'doubt' | 'blind' = 'none'
  let isBlind: 'no' | 'once' | 'for long' = 'no'
  const store: Store = overrideStore(inner, {
    async append(appends: readonly Append[]) {
      if (trouble === 'full') throw new StoreFault('full', 'no space left')
      const results = trouble === 'lost' ? [] : await inner.append(appends)
      if (trouble === 'none') return results
      isBlind = trouble === 'blind' ? 'for long' : trouble === 'doubt' ? 'once' : 'no'
      trouble = 'none'
      throw new CommitInDoubt(new StoreFault('io', 'the flush failed'))
    },
    async events(query: Parameters<Store['events']>[0]) {
      if (isBlind !== 'no') {
        if (isBlind === 'once') isBlind = 'no'
        throw new StoreFault('io', 'the log cannot be read')
      }
      return inner.events(query)
    },
  })
  return {
    store,
    set(next: typeof trouble) {
      trouble = next
      isBlind = 'no'
    },
  }
}
