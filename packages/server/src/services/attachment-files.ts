import { createReadStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'

/** A file for each, which nobody else can read. */
export function createAttachmentFiles(folder: string): AttachmentBytes {
  return {
    async write(id, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, id), bytes, { mode: 0o600 })
    },
    read: (id) => createReadStream(join(folder, id)),
    remove: (id) => rm(join(folder, id), { force: true }),
  }
}
