import { Answer } from '@holdpoint/schema/answer'
import { ChannelId, DeviceId, SessionId } from '@holdpoint/schema/id'
import { z } from 'zod'

/**
 * What one gateway has another one do, because only its machine can. `device` is who wants it: the other gateway looks up
 * for itself what that one may do (I8).
 */
export const NodeCall = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('answer'),
    device: DeviceId,
    id: z.string(),
    answer: Answer,
    via: z.string(),
    bound: z.enum(['digest', 'id']).optional(),
    idempotencyKey: z.string().optional(),
  }),
  /** What came back from a notice of that gateway, for its token alone to decide. `by`: who pressed the button. */
  z.strictObject({
    type: z.literal('notice-answer'),
    token: z.string(),
    to: z.union([DeviceId, ChannelId]),
    by: DeviceId,
    via: z.string(),
  }),
  z.strictObject({ type: z.literal('notice-shown'), token: z.string(), to: z.union([DeviceId, ChannelId]) }),
  /** Changes nothing, so nobody is named. */
  z.strictObject({ type: z.literal('memory'), session: SessionId }),
  /** A call of the API, as the first gateway has checked it. */
  z.strictObject({
    type: z.literal('route'),
    device: DeviceId,
    surface: z.enum(['web', 'api', 'terminal']),
    method: z.string(),
    /** With its query. */
    path: z.string(),
    body: z.unknown().optional(),
    idempotencyKey: z.string().optional(),
  }),
])
export type NodeCall = z.infer<typeof NodeCall>
