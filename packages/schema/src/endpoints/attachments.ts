import { z } from 'zod'
import { ATTACHMENT_TYPES } from '../attachment-limits.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { AttachmentId } from '../id.ts'
import { paths } from '../paths.ts'

export const attachmentEndpoints = {
  upload: {
    ...paths.attachments.upload,
    summary: 'Upload a file, to attach it to a message',
    raw: ATTACHMENT_TYPES,
    replies: { 201: z.object({ id: AttachmentId }) },
  },
  read: {
    ...paths.attachments.read,
    summary: 'An uploaded file, with its own type',
    replies: { 200: 'the file' },
  },
} satisfies EndpointsOf<typeof paths.attachments>
