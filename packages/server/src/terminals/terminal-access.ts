import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Records } from '@holdpoint/core/store'
import { DeviceId } from '@holdpoint/schema/id'
import { z } from 'zod'
import type { Devices } from '../auth/devices.ts'

/** What the hooks of this machine's terminals read. */
const TerminalFile = z.object({ url: z.string(), token: z.string(), ca: z.string().optional() })

export interface TerminalAccess {
  /** Whether this is the credential of this machine's terminals. */
  isTerminals(id: DeviceId): boolean
  /** Says where the gateway is, at every start. One that was revoked stays so. */
  announce(at: { url: string; ca?: string }): Promise<void>
  /** A new credential in the place of the old one. */
  renew(): Promise<void>
}

const COLLECTION = 'settings'
const KEY = 'terminals-device'
const NAME = 'Terminals on this machine'

/**
 * The credential of this machine's terminals: made once, kept in a file that only this user can read, and of a role that
 * raises asks and answers none (I8).
 */
export async function createTerminalAccess(deps: {
  dataDir: string
  records: Records
  devices: Devices
}): Promise<TerminalAccess> {
  const { records, devices } = deps
  const path = join(deps.dataDir, 'terminal.json')
  const stored = DeviceId.safeParse(await records.get(COLLECTION, KEY))
  let deviceId = stored.success ? stored.data : undefined
  let address: { url: string; ca?: string } | undefined

  async function read() {
    try {
      const parsed = TerminalFile.safeParse(JSON.parse(await readFile(path, 'utf8')))
      return parsed.success ? parsed.data : undefined
    } catch {
      return undefined
    }
  }

  async function write(token: string) {
    if (!address) return
    const temporary = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await writeFile(temporary, `${JSON.stringify({ ...address, token })}\n`, { mode: 0o600, flag: 'wx' })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  async function renew() {
    if (deviceId !== undefined) await devices.revoke(deviceId)
    const { code } = devices.newCode({ role: 'raiser' })
    const redeemed = await devices.redeem(code, { name: NAME, kind: 'bearer' })
    if (!redeemed) throw new Error('a fresh code was not taken')
    await records.put(COLLECTION, KEY, redeemed.device.id)
    deviceId = redeemed.device.id
    await write(redeemed.secret)
  }

  return {
    isTerminals: (id) => id === deviceId,
    async announce(at) {
      address = at
      if (deviceId === undefined) return renew()
      const known = await read()
      const isRevoked = devices.current(deviceId) === undefined
      // The secret stands nowhere else: without the file there has to be another one.
      const isLost = known === undefined || (!isRevoked && devices.authenticate(known.token)?.id !== deviceId)
      if (!isLost) return write(known.token)
      if (!isRevoked) return renew()
    },
    renew,
  }
}
