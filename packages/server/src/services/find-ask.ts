import type { Broker } from '@holdpoint/core/broker'
import type { AskRecord } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import { AskId } from '@holdpoint/schema/id'
import { sees } from '../auth/devices.ts'

/**
 * The ask that a client names, open or settled, if this credential may see it and, where the client names a session
 * too, if it is that session's: an answer meant for one session never reaches another's.
 */
export async function findAsk(
  { broker }: { readonly broker: Broker },
  named: { readonly device: Device; readonly askId: string; readonly sessionId?: string },
): Promise<AskRecord | undefined> {
  const id = AskId.safeParse(named.askId)
  const record = id.success ? await broker.find(id.data) : undefined
  if (!record || !sees(named.device, record.ask.sessionId)) return undefined
  return named.sessionId === undefined || record.ask.sessionId === named.sessionId ? record : undefined
}
