import { createDecipheriv, createECDH, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Records } from '@holdpoint/core/store'
import { DeviceId } from '@holdpoint/schema/id'
import type { AskProof, SealedSecret } from '@holdpoint/schema/page-proof'
import { provenText } from '@holdpoint/schema/proven-text'
import { z } from 'zod'
import { madeOnce } from '../cluster/made-once.ts'

const COLLECTION = 'gateway'
const KEY = 'page-proofs'

/**
 * How a page knows its gateway again, and what it calls with (T64). Whoever listens at an address gets whatever a page
 * sends there: so a page tells its secret only after a proof, only so that the process that gave it can read it, and only
 * to get a pass, which is good for as long as this process lives. The port is ours for just as long: nothing is answered
 * any more when it goes (see `close` in `gateway.ts`).
 */
export interface PageProofs {
  /** By which the page of this login knows the gateway again. */
  keyFor(device: DeviceId): Promise<string>
  /** For every id alike, also where nobody has it: who is logged in is not told here. */
  prove(asked: AskProof & { readonly origin: string }): Promise<{ readonly proof: string; readonly key: string }>
  /** The secret that a page sealed for this process, at this address; `undefined` if it did not. */
  open(sealed: SealedSecret & { readonly origin: string }): string | undefined
  passFor(device: DeviceId): string
  /** Whose pass this is; `undefined` where it is none, or one of an earlier process. */
  holderOf(pass: string): DeviceId | undefined
}

export function createPageProofs(records: Records): PageProofs {
  const passKey = randomBytes(32)
  const agreement = createECDH('prime256v1')
  const key = agreement.generateKeys().toString('base64url')
  let master: Promise<string> | undefined

  function loadMaster(): Promise<string> {
    master ??= readOrMake().catch((error: unknown) => {
      master = undefined
      throw error
    })
    return master
  }

  async function readOrMake(): Promise<string> {
    const make = () => randomBytes(32).toString('base64url')
    return z.string().parse(await madeOnce(records, COLLECTION, KEY, make))
  }

  async function keyFor(device: DeviceId): Promise<string> {
    return mac(Buffer.from(await loadMaster(), 'base64url'), device)
  }

  const passFor = (device: DeviceId) => `${device}.${mac(passKey, device)}`

  return {
    keyFor,
    async prove({ device, ...text }) {
      return { proof: mac(Buffer.from(await keyFor(device), 'base64url'), provenText({ ...text, key })), key }
    },
    open({ key: theirs, sealed, origin }) {
      try {
        const bytes = Buffer.from(sealed, 'base64url')
        const decipher = createDecipheriv('aes-256-gcm', agreement.computeSecret(theirs, 'base64url'), Buffer.alloc(12))
        decipher.setAAD(Buffer.from(origin)).setAuthTag(bytes.subarray(-16))
        return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString()
      } catch {
        // No point of the curve, or sealed for another process or address.
        return undefined
      }
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
