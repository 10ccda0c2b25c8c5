import type { Store } from '@holdpoint/core/store'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Devices } from '@holdpoint/server/auth/devices'

const COLLECTION = 'settings'
const KEY = 'embedding-program'

/** The credential that the program itself acts with. It stays the same; its secret is known to nobody. */
export async function ownDevice({ store, devices }: { store: Store; devices: Devices }): Promise<DeviceId> {
  const known = (await store.records.get(COLLECTION, KEY)) as DeviceId | undefined
  if (known !== undefined && devices.current(known)) return known
  const { device } = await devices.add({ role: 'owner' }, { name: 'The program itself', kind: 'bearer' })
  await store.records.put(COLLECTION, KEY, device.id)
  return device.id
}
