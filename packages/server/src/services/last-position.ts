import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { z } from 'zod'

export const LAST_POSITION = 'last-position.json'
/** Without a flush, and not for each commit: losing the newest only means that a copy as new as that is not told apart. */
const WRITE_MS = 2000

const Position = z.object({ seq: z.int().positive(), hash: z.string() })

/**
 * How far the log of this folder has come, in a file beside the database. A database that does not have that place is an
 * older one, put back; or another one.
 */
export function createLastPosition(deps: {
  dataDir: string
  ledger: Ledger
  store: Store
  clock: Clock
  warn: LogFunction
  /** Aborts when another gateway has the folder, and the file with it. */
  lost?: AbortSignal
}) {
  const { ledger, store, clock } = deps
  const path = join(deps.dataDir, LAST_POSITION)
  let cancel: (() => void) | undefined
  let writing = Promise.resolve()
  let unsubscribe = () => {}

  async function write() {
    cancel?.()
    cancel = undefined
    const [seq, hash] = [ledger.seq(), ledger.hash()]
    if (hash === undefined || deps.lost?.aborted) return
    writing = writing
      .then(() => replaceFile(path, JSON.stringify({ seq, hash })))
      .catch((error: unknown) => {
        deps.warn('last_position_not_persisted', { error: String(error) })
      })
    await writing
  }

  return {
    /** Whether the log was further once than it is now. */
    async isLost(): Promise<boolean> {
      const text = await readFile(path, 'utf8').catch(() => undefined)
      const last = text === undefined ? undefined : readPosition(text)
      return last !== undefined && (await store.hashAt(last.seq)) !== last.hash
    },
    /** From now on the log as it is counts. */
    async keep(): Promise<void> {
      unsubscribe = ledger.subscribe(() => {
        cancel ??= clock.after(WRITE_MS, () => void write())
      })
      await write()
    },
    async close(): Promise<void> {
      unsubscribe()
      await write()
    },
  }
}

/** One that was cut short by a power failure says nothing. */
function readPosition(text: string): z.infer<typeof Position> | undefined {
  try {
    return Position.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
