import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { NodeId } from '../id.ts'
import { paths } from '../paths.ts'

/** A machine whose gateway shares the log with others. */
const Machine = z.object({
  id: NodeId,
  name: z.string(),
  /** Of Holdpoint. */
  version: z.string(),
  /** The agents that can be started there. */
  agents: z.array(z.string()).readonly(),
  /** Where a browser can reach its gateway directly, such as for its terminals. Left out where it does not say. */
  address: z.string().optional(),
  /** Its gateway was heard of in the last four seconds. */
  isReachable: z.boolean(),
  /** Milliseconds since its gateway was heard of. */
  beatAgeMs: z.int(),
  /** It takes no new sessions. */
  isDraining: z.boolean(),
  /** The one that this reply came from. */
  isThis: z.boolean(),
  /** Sessions that name no machine are its: they came with a log that one gateway alone had written. */
  isHome: z.boolean(),
})
export type Machine = z.infer<typeof Machine>

export const MACHINE_NAME_LENGTH = 80

export const machineEndpoints = {
  list: {
    ...paths.machines.list,
    summary: 'The machines whose gateways share this log. Empty where there is one gateway',
    replies: { 200: z.object({ machines: z.array(Machine) }) },
  },
  change: {
    ...paths.machines.change,
    summary: 'Rename a machine, or have it take no new sessions',
    body: z.strictObject({
      name: z.string().trim().min(1).max(MACHINE_NAME_LENGTH).optional(),
      isDraining: z.boolean().optional(),
    }),
    replies: { 204: 'changed' },
  },
  giveUp: {
    ...paths.machines.giveUp,
    summary: 'Give up a machine that cannot be reached: its sessions end, and their asks are withdrawn',
    replies: { 200: z.object({ sessions: z.int() }) },
  },
  forget: {
    ...paths.machines.forget,
    summary: 'Take a machine off the list that cannot be reached and has no live sessions',
    replies: { 204: 'forgotten' },
  },
} satisfies EndpointsOf<typeof paths.machines>
