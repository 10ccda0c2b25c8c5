import { MAX_ATTACHMENT_BYTES } from '@holdpoint/schema/attachment-limits'
import { attachmentEndpoints } from '@holdpoint/schema/endpoints/attachments'
import { AttachmentId } from '@holdpoint/schema/id'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

/** Types that a browser only ever paints. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Files that people bring. */
export function attachmentRoutes({ attachments }: Pick<Services, 'attachments'>): Route[] {
  return [
    route(attachmentEndpoints.upload, {
      action: 'attach-file',
      bodyLimit: MAX_ATTACHMENT_BYTES,
      async handle({ body, device, request }) {
        const bytes = body as unknown as Buffer
        if (bytes.length === 0) return refusal('invalid_request', { issues: ['the file is empty'] })
        const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
        return { status: 201, body: { id: await attachments.save(type, bytes, device.id) } }
      },
    }),
    route(attachmentEndpoints.read, {
      action: 'read-sessions',
      async handle({ device, params }) {
        const id = AttachmentId.safeParse(params.id)
        if (!id.success || !(await attachments.isFor(device, id.data))) return refusal('not_found')
        const found = await attachments.open(id.data)
        if (!found) return refusal('not_found')
        return {
          status: 200,
          file: found.file,
          headers: {
            'content-type': found.type === 'text/plain' ? 'text/plain; charset=utf-8' : found.type,
            'content-disposition': SHOWN.has(found.type) ? 'inline' : 'attachment',
            // Whatever the bytes turn out to be: opened by themselves they run nothing and belong to no origin.
            'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
          },
        }
      },
    }),
  ]
}
