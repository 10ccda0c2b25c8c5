import type { Store } from '@holdpoint/core/store'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Devices } from '@holdpoint/server/auth/devices'

const COLLECTION = 'settings'
const KEY = 'embedding-program'

/** The credential that the program itself acts with. It stays the same; its secret is known to nobody. */
export async function ownDevice({ store, devices }: { store: Store; devices: Devices }): Promise<DeviceId> {
  const known = (await store.records.get(COLLECTION, KEY)) as DeviceId | undefined
  if (known !== undefined && devices.current(known)) return known
  const { code } = devices.newCode({ role: 'owner' })
  const redeemed = await devices.redeem(code, { name: 'The program itself', kind: 'bearer' })
  if (!redeemed) throw new Error('a new code was not accepted')
  await store.records.put(COLLECTION, KEY, redeemed.device.id)
  return redeemed.device.id
}
