import { findSessionById } from '@holdpoint/agents/transcript/find-session-file'
import { listTranscripts } from '@holdpoint/agents/transcript/list-transcripts'
import { readThread } from '@holdpoint/agents/transcript/read-thread'
import { Item } from '@holdpoint/schema/item'
import { z } from 'zod'
import { refusal } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'

const PAGE = 50

const Transcript = z.object({
  id: z.string(),
  cwd: z.string().optional(),
  title: z.string(),
  modifiedAt: z.int(),
  size: z.int(),
})

/** The conversations that Claude Code had on this machine, wherever they were started. */
export function transcriptRoutes(projects: string): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/transcripts',
      action: 'read-transcripts',
      summary: 'Conversations of Claude Code on this machine, newest first; pass next as after for the following page',
      query: z.strictObject({
        folder: z.string().max(4096).optional(),
        after: z.string().max(8192).optional(),
        limit: z.coerce.number().int().min(1).max(200).default(PAGE),
      }),
      replies: { 200: z.object({ transcripts: z.array(Transcript), next: z.string().optional() }) },
      async handle({ query }) {
        const { folder, after, limit } = query
        const page = await listTranscripts(projects, {
          limit,
          ...(folder !== undefined && { folder }),
          ...(after !== undefined && { after }),
        })
        const transcripts = page.transcripts.map(({ sessionId, cwd, title, modifiedAt, size }) => ({
          id: sessionId,
          ...(cwd !== undefined && { cwd }),
          title,
          modifiedAt: Math.round(modifiedAt),
          size,
        }))
        return { status: 200, body: { transcripts, ...(page.next !== undefined && { next: page.next }) } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/transcripts/:id/items',
      action: 'read-transcripts',
      summary:
        'The thread of a conversation, newest page first; pass nextBefore as before for the page that precedes it',
      query: z.strictObject({
        before: z.coerce.number().int().min(0).optional(),
        limit: z.coerce.number().int().min(1).max(500).default(100),
      }),
      replies: { 200: z.object({ items: z.array(Item), nextBefore: z.int().optional() }) },
      async handle({ params, query }) {
        const file = await findSessionById(projects, params.id ?? '')
        const { before, limit } = query
        const page = file && (await readThread(file.path, { limit, ...(before !== undefined && { before }) }))
        if (!page) return refusal('not_found')
        const nextBefore = page.before === undefined ? {} : { nextBefore: page.before }
        return { status: 200, body: { items: page.items, ...nextBefore } }
      },
    }),
  ]
}
