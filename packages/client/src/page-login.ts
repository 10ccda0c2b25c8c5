const DATABASE = 'holdpoint'
const STORE = 'secrets'

/** What a login gave to a page. */
export interface PageLogin {
  readonly device: string
  readonly secret: string
  /** By which the page knows the gateway again before it shows the secret. */
  readonly proofKey: string
}

/**
 * Where a page keeps its login: in IndexedDB, which pages of its own origin read and no others,
 * those of other ports of the same host included (T64). Read anew for every call, so that all tabs go by the same one.
 * Where there is no such place, as in Node, it lasts as long as this object.
 */
export interface PageLoginStore {
  read(): Promise<PageLogin | undefined>
  /** `undefined`: forget it. */
  write(login: PageLogin | undefined): Promise<void>
}

/** `gateway` tells several apart that are reached from one page. */
export function createPageLoginStore(gateway: string): PageLoginStore {
  let known: PageLogin | undefined
  let opening: Promise<IDBDatabase> | undefined

  function open(): Promise<IDBDatabase> {
    opening ??= openDatabase(() => {
      opening = undefined
    })
    return opening
  }

  async function within(mode: IDBTransactionMode, act: (store: IDBObjectStore) => { readonly result: unknown }) {
    if (globalThis.indexedDB === undefined) return undefined
    try {
      const transaction = (await open()).transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error)
      })
      return { value: request.result }
    } catch {
      // A browser that stores nothing: this page stays logged in for as long as it is open.
      opening = undefined
      return undefined
    }
  }

  return {
    async read() {
      const found = await within('readonly', (store) => store.get(gateway))
      if (!found) return known
      known = isLogin(found.value) ? found.value : undefined
      return known
    },
    async write(login) {
      known = login
      await within('readwrite', (store) => (login === undefined ? store.delete(gateway) : store.put(login, gateway)))
    },
  }
}

/** An earlier version kept the secret alone. */
function isLogin(value: unknown): value is PageLogin {
  const { device, secret, proofKey } = (value ?? {}) as Partial<Record<keyof PageLogin, unknown>>
  return typeof device === 'string' && typeof secret === 'string' && typeof proofKey === 'string'
}

function openDatabase(onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => void request.result.createObjectStore(STORE)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('another page keeps the database locked'))
    request.onsuccess = () => {
      const database = request.result
      database.onclose = onGone
      // Somebody clears what this page has stored, or a later version of it needs another shape.
      database.onversionchange = () => {
        database.close()
        onGone()
      }
      resolve(database)
    }
  })
}
