import { AttachmentId } from '@holdpoint/schema/id'
import { z } from 'zod'
import { ATTACHMENT_TYPES } from '../attachments.ts'
import type { Context } from '../context.ts'
import { refusal } from './errors.ts'
import { type Route, route } from './route.ts'

const ATTACHMENT_LIMIT = 8 * 1024 * 1024
/** Types that a browser only ever paints. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Files that people bring. */
export function attachmentRoutes({ attachments }: Context): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/attachments',
      action: 'attach-file',
      summary: 'Bring a file, to be named in a message',
      raw: ATTACHMENT_TYPES,
      bodyLimit: ATTACHMENT_LIMIT,
      replies: { 201: z.object({ id: AttachmentId }) },
      async handle({ body, device, request }) {
        const bytes = body as unknown as Buffer
        if (bytes.length === 0) return refusal('invalid_request', { reason: 'the file is empty' })
        const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
        return { status: 201, body: { id: await attachments.save(type, bytes, device.id) } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/attachments/:id',
      action: 'read-sessions',
      summary: 'A file that somebody brought, with its own type',
      replies: { 200: 'the file' },
      async handle({ device, params }) {
        const id = AttachmentId.safeParse(params.id)
        if (!id.success || !(await attachments.isFor(device, id.data))) return refusal('not_found')
        const found = await attachments.read(id.data)
        if (!found) return refusal('not_found')
        return {
          status: 200,
          body: found.bytes,
          headers: {
            'content-type': found.type === 'text/plain' ? 'text/plain; charset=utf-8' : found.type,
            'content-length': String(found.bytes.length),
            'content-disposition': SHOWN.has(found.type) ? 'inline' : 'attachment',
            // Whatever the bytes turn out to be: opened by themselves they run nothing and belong to no origin.
            'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
          },
        }
      },
    }),
  ]
}
