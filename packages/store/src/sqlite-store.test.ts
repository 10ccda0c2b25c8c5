import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '@holdpoint/testing/store-contract/store-contract'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { openSqliteStore } from './sqlite-store.ts'

for (const driver of sqliteDrivers) {
  storeContract(`the SQLite store on ${driver.name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-store-'))
    const path = join(folder, 'holdpoint.db')
    let store = await openSqliteStore({ path, driver })
    return {
      store,
      async reopen() {
        await store.close()
        store = await openSqliteStore({ path, driver })
        return store
      },
      async dispose() {
        await store.close()
        rmSync(folder, { recursive: true })
      },
    }
  })
}
