import { z } from 'zod'
import { DeviceId } from './id.ts'

/** What a page asks before it shows its secret: are you the gateway that I logged in to? */
export const AskProof = z.strictObject({
  device: DeviceId,
  /** Fresh for every question, 256 bits in base64url. */
  nonce: z.string().regex(/^[\w-]{43}$/),
})
export type AskProof = z.infer<typeof AskProof>
