import type { Append, Store } from '@holdpoint/core/store'

/** A store whose commits can be held: before they are written, or between the writing and the telling. */
export function holdable(store: Store) {
  let before: Promise<void> | undefined
  let after: Promise<void> | undefined
  let waiting = 0

  const held = new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

  async function append(appends: readonly Append[]) {
    waiting++
    try {
      await before
      const results = await store.append(appends)
      await after
      return results
    } finally {
      waiting--
    }
  }

  const gate = () => {
    let open = () => {}
    const promise = new Promise<void>((resolve) => {
      open = resolve
    })
    return { promise, open }
  }

  return {
    store: held,
    /** Commits that are under way. */
    waiting: () => waiting,
    /** Holds every commit before it is written, until the returned function is called. */
    holdBefore() {
      const { promise, open } = gate()
      before = promise
      return () => {
        before = undefined
        open()
      }
    },
    /** Lets commits be written, but nobody hears of it until the returned function is called. */
    holdAfter() {
      const { promise, open } = gate()
      after = promise
      return () => {
        after = undefined
        open()
      }
    },
  }
}
