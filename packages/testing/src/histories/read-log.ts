import type { Stored } from '@holdpoint/schema/event'
import { createPostgresStore } from '@holdpoint/store/postgres/postgres-store'
import type { RunHistory } from './history.ts'

/** All of it, once nobody writes any more. */
export async function readLog(address: string): Promise<Pick<RunHistory, 'log' | 'chain'>> {
  const store = await createPostgresStore({ address, node: 'reader', version: '1' })
  try {
    const log: Stored[] = []
    for (;;) {
      const page = await store.events({ after: log.length, limit: 1000 })
      log.push(...page)
      if (page.length === 0) return { log, chain: await store.verify() }
    }
  } finally {
    await store.close()
  }
}
