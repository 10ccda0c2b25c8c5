import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { credentialText, hookCredential, readToken } from '@holdpoint/agents/claude/hooks/hook-access'
import type { Records } from '@holdpoint/core/store'
import { DeviceId } from '@holdpoint/schema/id'
import type { Devices } from '../auth/devices.ts'

export interface TerminalAccess {
  /** Whether this is the credential of this machine's terminals. */
  isTerminals(id: DeviceId): boolean
  /** Sees to it, at every start, that the terminals have their credential. One that was revoked stays so. */
  prepare(): Promise<void>
  /** A new credential in the place of the old one. */
  renew(): Promise<void>
}

const COLLECTION = 'settings'
const KEY = 'terminals-device'

/**
 * The credential of this machine's terminals: made once, kept in a file that only this user can read, and of a role that
 * raises asks and answers none (I8).
 */
export async function createTerminalAccess(deps: {
  dataDir: string
  records: Records
  /** What people call this machine, where there are several. */
  machine?: string | undefined
  devices: Devices
}): Promise<TerminalAccess> {
  const { dataDir, records, machine = 'this machine', devices } = deps
  const name = `Terminals on ${machine}`
  const stored = DeviceId.safeParse(await records.get(COLLECTION, KEY))
  let deviceId = stored.success ? stored.data : undefined

  async function renew() {
    if (deviceId !== undefined) await devices.revoke(deviceId)
    const { device, secret } = await devices.add({ role: 'raiser' }, { name, kind: 'bearer' })
    await records.put(COLLECTION, KEY, device.id)
    deviceId = device.id
    await replaceFile(hookCredential(dataDir), credentialText(secret))
  }

  return {
    isTerminals: (id) => id === deviceId,
    async prepare() {
      if (deviceId === undefined) return renew()
      if (devices.current(deviceId) === undefined) return
      // The secret stands nowhere else: without the file there has to be another one.
      const token = readToken(dataDir)
      if (token === undefined || devices.authenticate({ token })?.id !== deviceId) await renew()
    },
    renew,
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
