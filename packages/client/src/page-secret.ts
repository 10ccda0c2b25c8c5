const DATABASE = 'holdpoint'
const STORE = 'secrets'

/**
 * Where a page keeps the secret that its login gave it: in IndexedDB, which pages of its own origin read and no others,
 * those of other ports of the same host included (T64). Read anew for every call, so that all tabs go by the same one.
 * Where there is no such place, as in Node, it lasts as long as this object.
 */
export interface PageSecret {
  read(): Promise<string | undefined>
  /** `undefined`: forget it. */
  write(secret: string | undefined): Promise<void>
}

/** `gateway` tells several apart that are reached from one page. */
export function createPageSecret(gateway: string): PageSecret {
  let known: string | undefined
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
      known = typeof found.value === 'string' ? found.value : undefined
      return known
    },
    async write(secret) {
      known = secret
      await within('readwrite', (store) => (secret === undefined ? store.delete(gateway) : store.put(secret, gateway)))
    },
  }
}

function openDatabase(onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => void request.result.createObjectStore(STORE)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('another page holds the database'))
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
