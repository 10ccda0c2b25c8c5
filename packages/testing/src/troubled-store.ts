import { type Append, type Store, StoreFault } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { overrideStore } from './override-store.ts'

/**
 * A store whose disk is full, or whose next commit reaches the disk but is reported as failed: `doubt` when the log cannot
 * be read either for a moment, `flush-failed` when it can.
 */
export function createTroubledStore() {
  const inner = createMemoryStore()
  let trouble: 'none' | 'full' | 'doubt' | 'flush-failed' = 'none'
  let isBlind = false
  const store: Store = overrideStore(inner, {
    async append(appends: readonly Append[]) {
      if (trouble === 'full') throw new StoreFault('full', 'no space left')
      const results = await inner.append(appends)
      if (trouble === 'none') return results
      isBlind = trouble === 'doubt'
      trouble = 'none'
      throw new StoreFault('io', 'the flush failed', { inDoubt: true })
    },
    async events(query: Parameters<Store['events']>[0]) {
      if (isBlind) {
        isBlind = false
        throw new StoreFault('io', 'the log cannot be read')
      }
      return inner.events(query)
    },
  })
  return {
    store,
    set(next: typeof trouble) {
      trouble = next
    },
  }
}
