import { storeContract } from '@holdpoint/testing/store-contract/store-contract'
import { createMemoryStore } from './memory-store.ts'

storeContract('the memory store', async () => {
  const store = createMemoryStore()
  return { store, dispose: () => store.close() }
})
