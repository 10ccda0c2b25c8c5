import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Records } from '@holdpoint/core/store'
import { DeviceId } from '@holdpoint/schema/id'
import type { AskProof } from '@holdpoint/schema/page-proof'
import { provenText } from '@holdpoint/schema/proven-text'

const COLLECTION = 'gateway'
const KEY = 'page-proofs'

/**
 * How a page knows its gateway again, and what it calls with (T64). Whoever listens at an address gets whatever a page
 * sends there: so a page shows its secret only after a proof, and only to get a pass, which is good for as long as this
 * process lives. The port is ours for just as long.
 */
export interface PageProofs {
  /** By which the page of this login knows the gateway again. */
  keyFor(device: DeviceId): Promise<string>
  /** For every id alike, also where nobody has it: who is logged in is not told here. */
  prove(asked: AskProof & { readonly origin: string }): Promise<string>
  passFor(device: DeviceId): string
  /** Whose pass this is; `undefined` where it is none, or one of an earlier process. */
  holderOf(pass: string): DeviceId | undefined
}

export function createPageProofs(records: Records): PageProofs {
  const ofThisProcess = randomBytes(32)
  let master: Promise<string> | undefined

  function loadMaster(): Promise<string> {
    master ??= readOrMake().catch((error: unknown) => {
      master = undefined
      throw error
    })
    return master
  }

  async function readOrMake(): Promise<string> {
    const stored = await records.get(COLLECTION, KEY)
    if (typeof stored === 'string') return stored
    const made = randomBytes(32).toString('base64url')
    await records.put(COLLECTION, KEY, made)
    return made
  }

  async function keyFor(device: DeviceId): Promise<string> {
    return mac(Buffer.from(await loadMaster(), 'base64url'), device)
  }

  const passFor = (device: DeviceId) => `${device}.${mac(ofThisProcess, device)}`

  return {
    keyFor,
    async prove({ device, ...text }) {
      return mac(Buffer.from(await keyFor(device), 'base64url'), provenText(text))
    },
    passFor,
    holderOf(pass) {
      const device = DeviceId.safeParse(pass.split('.')[0])
      if (!device.success) return undefined
      const [given, right] = [Buffer.from(pass), Buffer.from(passFor(device.data))]
      return given.length === right.length && timingSafeEqual(given, right) ? device.data : undefined
    },
  }
}

function mac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
