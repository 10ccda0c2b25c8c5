import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { ItemPage } from '../item.ts'
import { paths } from '../paths.ts'
import { OnMachine } from './folders.ts'
import { ItemPageQuery } from './sessions.ts'

/** A conversation that Claude Code had on the gateway's machine. */
export const Transcript = z.object({
  /** Claude Code's own. */
  id: z.string(),
  /** Left out where the file does not say. */
  cwd: z.string().optional(),
  title: z.string(),
  modifiedAt: z.int(),
  /** Bytes. */
  size: z.int(),
})
export type Transcript = z.infer<typeof Transcript>

export const transcriptEndpoints = {
  list: {
    ...paths.transcripts.list,
    summary: 'Conversations of Claude Code on this machine, newest first. Pass next as after to get the next page',
    query: z.strictObject({
      /** A part of the path. */
      folder: z.string().max(4096).optional(),
      after: z.string().max(8192).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      ...OnMachine,
    }),
    replies: { 200: z.object({ transcripts: z.array(Transcript), next: z.string().optional() }) },
  },
  items: {
    ...paths.transcripts.items,
    summary: 'The thread of a conversation, newest page first. Pass nextBefore as before to get the page before it',
    query: ItemPageQuery.extend(OnMachine),
    replies: { 200: ItemPage },
  },
} satisfies EndpointsOf<typeof paths.transcripts>
