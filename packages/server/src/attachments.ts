import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Records } from '@holdpoint/core/store'
import { AttachmentId, type NewId } from '@holdpoint/schema/id'

export const ATTACHMENT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
] as const

export interface Attachment {
  readonly id: AttachmentId
  readonly type: string
  readonly bytes: Buffer
}

const COLLECTION = 'attachments'

/** Files that people send along with a message. Bytes in the data folder, descriptions in the store. */
export function createAttachments(deps: { folder: string; records: Records; newId: NewId }) {
  return {
    async save(type: string, bytes: Buffer): Promise<AttachmentId> {
      await mkdir(deps.folder, { recursive: true, mode: 0o700 })
      const id = deps.newId('att')
      await writeFile(join(deps.folder, id), bytes, { mode: 0o600, flag: 'wx' })
      await deps.records.put(COLLECTION, id, { type, size: bytes.length })
      return id
    },
    async has(id: AttachmentId): Promise<boolean> {
      return (await deps.records.get(COLLECTION, id)) !== undefined
    },
    async read(id: AttachmentId): Promise<Attachment | undefined> {
      // The id becomes a file name: only one of our own making may.
      if (!AttachmentId.safeParse(id).success) return undefined
      const description = (await deps.records.get(COLLECTION, id)) as { type: string } | undefined
      return description && { id, type: description.type, bytes: await readFile(join(deps.folder, id)) }
    },
  }
}
export type Attachments = ReturnType<typeof createAttachments>
