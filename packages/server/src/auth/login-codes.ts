import type { Clock } from '@holdpoint/core/clock'
import type { Records } from '@holdpoint/core/store'
import { DeviceId, SessionId } from '@holdpoint/schema/id'
import { Role } from '@holdpoint/schema/outcome'
import { z } from 'zod'
import { hashSecret, newSecret } from './secrets.ts'

const CODES = 'login-codes'
const PAIRINGS = 'pairings'
const CODE_MS = 5 * 60 * 1000

/** What a code turns into. */
const Code = z.object({
  id: z.string(),
  grant: z.object({ role: Role, sessionIds: z.array(SessionId).optional() }),
  expiresAt: z.number(),
  by: DeviceId.optional(),
})
type Code = z.infer<typeof Code>

const Pairing = z.object({ expiresAt: z.number(), device: DeviceId.optional() })
type Pairing = z.infer<typeof Pairing>

export interface NewCode {
  readonly id: string
  readonly code: string
  readonly expiresAt: number
  /** From then on it is good for something, at every gateway. */
  readonly isKept: Promise<void>
}

/** Codes that turn into a credential, once. */
export interface LoginCodes {
  make(grant: Code['grant'], by: DeviceId | undefined): NewCode
  /** Uses a code up: of several who try it at once, at whichever gateways, one gets it. */
  take(code: string): Promise<Code | undefined>
  /** Notes for whoever made the code what became of it. */
  paired(code: Code, device: DeviceId): Promise<void>
  /** What became of a code, by the id that it was made with; undefined once it would have expired. */
  pairing(id: string): Promise<Pairing | undefined>
}

/** Only hashes of codes are kept. `records`: in memory where there is one gateway, for its codes end with it. */
export function createLoginCodes(deps: {
  readonly records: Records
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}): LoginCodes {
  const { records } = deps
  const { now, monotonic } = deps.clock
  /** By the clock that nobody can set back (F28), of those that were made here: under the code's hash, and under its id. */
  const ends = new Map<string, number>()

  function isOver(key: string, { expiresAt }: { readonly expiresAt: number }): boolean {
    return expiresAt <= now() || (ends.get(key) ?? Number.POSITIVE_INFINITY) <= monotonic()
  }

  async function get<Value extends { expiresAt: number }>(collection: string, key: string, schema: z.ZodType<Value>) {
    const read = schema.safeParse(await records.get(collection, key))
    return read.success && !isOver(key, read.data) ? read.data : undefined
  }

  async function dropExpired() {
    for (const collection of [CODES, PAIRINGS]) {
      for (const { key, value } of await records.list(collection)) {
        const { data } = Pairing.pick({ expiresAt: true }).safeParse(value)
        if (!data || isOver(key, data)) await records.remove(collection, key)
      }
    }
    for (const [key, end] of ends) if (end <= monotonic()) ends.delete(key)
  }

  async function keep(hash: string, code: Code) {
    const pairing: Pairing = { expiresAt: code.expiresAt }
    await Promise.all([records.put(CODES, hash, code), records.put(PAIRINGS, code.id, pairing)])
    await dropExpired()
  }

  return {
    make(grant, by) {
      const code = newSecret()
      const hash = hashSecret(code)
      // Not made from the code: whoever reads it, in a log of addresses, say, gets no device.
      const id = newSecret()
      const expiresAt = now() + CODE_MS
      for (const key of [hash, id]) ends.set(key, monotonic() + CODE_MS)
      const isKept = keep(hash, { id, grant, expiresAt, ...(by && { by }) })
      // Who does not wait for it is told when the code is not taken.
      isKept.catch(() => {})
      return { id, code, expiresAt, isKept }
    },
    async take(code) {
      const hash = hashSecret(code)
      const found = await get(CODES, hash, Code)
      return found && (await records.remove(CODES, hash)) ? found : undefined
    },
    async paired({ id, expiresAt }, device) {
      await records.put(PAIRINGS, id, { expiresAt, device } satisfies Pairing)
    },
    pairing: (id) => get(PAIRINGS, id, Pairing),
  }
}
