import { findSessionById } from '@holdpoint/agents/claude/transcript/find-session-file'
import { listTranscripts } from '@holdpoint/agents/claude/transcript/list-transcripts'
import { readThread } from '@holdpoint/agents/claude/transcript/read-thread'
import { transcriptEndpoints } from '@holdpoint/schema/endpoints/transcripts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

/** The conversations that Claude Code had on this machine, wherever they were started. */
export function transcriptRoutes({ machines }: Pick<Services, 'machines'>, projects: string): Route[] {
  return [
    route(transcriptEndpoints.list, {
      action: 'read-transcripts',
      machine: ({ query }) => machines.other(query.node),
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
    route(transcriptEndpoints.items, {
      action: 'read-transcripts',
      machine: ({ query }) => machines.other(query.node),
      inTurn: true,
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
