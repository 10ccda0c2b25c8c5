import type { Append, AppendResult, Store } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import { afterEach, beforeEach } from 'vitest'

export interface StoreFixture {
  readonly store: Store
  /** Closes the store and opens it again on the same data; absent where nothing outlives a close. */
  readonly reopen?: () => Promise<Store>
  readonly dispose: () => Promise<void>
}

/** The store of the test that runs, and what tests of the contract do with it. */
export interface StoreWorld {
  readonly store: Store
  /** Another one, with data of its own. */
  create(): Promise<StoreFixture>
  appendOne(append: Append): Promise<AppendResult>
  /** The store after a restart, where it outlives one. */
  reloaded(): Promise<Store>
  allEvents(): Promise<readonly Stored[]>
}

/** Makes a store for each test of the suite that calls it. */
export function storeWorld(create: () => Promise<StoreFixture>): StoreWorld {
  let fixture: StoreFixture
  let store: Store
  beforeEach(async () => {
    fixture = await create()
    store = fixture.store
  })
  afterEach(() => fixture.dispose())

  return {
    get store() {
      return store
    },
    create,
    async appendOne(append) {
      const [result] = await store.append([append])
      if (!result) throw new Error('an append gives a result')
      return result
    },
    async reloaded() {
      if (fixture.reopen) store = await fixture.reopen()
      return store
    },
    allEvents: () => store.events({ after: 0, limit: 10_000 }),
  }
}
