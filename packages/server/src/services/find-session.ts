import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { sees } from '../auth/devices.ts'

/** The session that a path names, if it is one that this credential may see. */
export async function findSession(
  { ledger, store }: { readonly ledger: Ledger; readonly store: Store },
  device: Device,
  id: string | undefined,
): Promise<Session | undefined> {
  const parsed = SessionId.safeParse(id)
  if (!parsed.success || !sees(device, parsed.data)) return undefined
  return ledger.views().get(parsed.data)?.session ?? store.session(parsed.data)
}
