import { z } from 'zod'
import { DeviceId, SessionId } from './id.ts'
import { Role } from './outcome.ts'

/** A credential as people see it: what it may do, and when it was last used. The secret itself is stored as a hash. */
export const Device = z.strictObject({
  id: DeviceId,
  name: z.string(),
  /** A page of a browser, a token of a program, or `HOLDPOINT_TOKEN`, which the gateway was started with. */
  kind: z.enum(['browser', 'bearer', 'environment']).optional(),
  role: Role,
  /** When set, this credential sees and answers these sessions only. */
  sessionIds: z.array(SessionId).optional(),
  createdAt: z.int(),
  lastSeenAt: z.int(),
  expiresAt: z.int().optional(),
  /** Revoked and refused, but still on the disk, which could not be written: a restart now would bring it back. */
  revoking: z.literal(true).optional(),
})
export type Device = z.infer<typeof Device>

export const DEVICE_NAME_LENGTH = 120
