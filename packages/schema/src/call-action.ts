import { z } from 'zod'

/** What a call does, in words that hold for the tools of every agent. Made by a driver: rules are compared with it. */
export const CallAction = z.discriminatedUnion('type', [
  /** Runs a line of shell. */
  z.strictObject({ type: z.literal('command'), command: z.string() }),
  /** Reads or writes one file, or reads a whole tree. The path is absolute. */
  z.strictObject({
    type: z.literal('file'),
    use: z.enum(['read', 'write']),
    path: z.string(),
    /** All that lies below the path. */
    isTree: z.literal(true).optional(),
  }),
  /** Gets what is at an address. */
  z.strictObject({ type: z.literal('fetch'), url: z.string() }),
  z.strictObject({ type: z.literal('mcp'), server: z.string(), tool: z.string() }),
  /** Of which no more is known than the tool's name. */
  z.strictObject({ type: z.literal('tool') }),
])
export type CallAction = z.infer<typeof CallAction>
