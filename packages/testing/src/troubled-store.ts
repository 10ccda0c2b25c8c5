import { type Append, type Store, StoreFault } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { overrideStore } from './override-store.ts'

/** A store whose disk is full, or whose next commit reaches the disk but is reported as failed. */
export function createTroubledStore() {
  const inner = createMemoryStore()
  let trouble: 'none' | 'full' | 'doubt' = 'none'
  const store: Store = overrideStore(inner, {
    async append(appends: readonly Append[]) {
      if (trouble === 'full') throw new StoreFault('full', 'no space left')
      const results = await inner.append(appends)
      if (trouble !== 'doubt') return results
      trouble = 'none'
      throw new StoreFault('io', 'the flush failed')
    },
  })
  return {
    store,
    set(next: typeof trouble) {
      trouble = next
    },
  }
}
