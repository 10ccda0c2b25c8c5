import type { Store } from '@holdpoint/core/store'

/** A store with some of its methods replaced, the rest as they are. */
export function overrideStore(store: Store, replaced: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
