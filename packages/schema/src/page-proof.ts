import { z } from 'zod'
import { DeviceId } from './id.ts'

/** What a page asks before it shows its secret: are you the gateway that I logged in to? */
export const AskProof = z.strictObject({
  device: DeviceId,
  /** Fresh for every question, 256 bits in base64url. */
  nonce: z.string().regex(/^[\w-]{43}$/),
})
export type AskProof = z.infer<typeof AskProof>

/** A page's secret, for the process alone that proved itself: whoever gets the message in its place cannot read it. */
export const SealedSecret = z.strictObject({
  /** The page's half of the key agreement: a P-256 point, uncompressed, in base64url. A new one for every message. */
  key: z.string().regex(/^[\w-]{87}$/),
  /** The secret, by AES-256-GCM with a nonce of zeros, for the key is used once; in base64url. */
  sealed: z.string().regex(/^[\w-]{22,1000}$/),
})
export type SealedSecret = z.infer<typeof SealedSecret>
