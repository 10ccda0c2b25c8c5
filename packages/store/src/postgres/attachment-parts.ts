import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { PostgresDatabase } from './database.ts'

const PART_BYTES = 256 * 1024

/** Files in the database, so that each machine has those of all, and one backup has everything. */
export function createAttachmentParts(db: Pick<PostgresDatabase, 'query' | 'change'>): AttachmentBytes {
  return {
    // A repetition, after a reply that was lost, finds the same bytes there.
    write: (id, bytes) =>
      db.change(async (query) => {
        for (let part = 0; part * PART_BYTES < bytes.length; part++) {
          const piece = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
          await query(PUT, [id, part, piece])
        }
      }),
    async *read(id) {
      for (let part = 0; ; part++) {
        const [row] = await db.query<{ bytes: Buffer }>(GET, [id, part])
        if (!row) return
        yield row.bytes
      }
    },
    remove: async (id) => void (await db.query(REMOVE, [id])),
  }
}

const PUT = 'INSERT INTO attachment_parts (id, part, bytes) VALUES ($1, $2, $3) ON CONFLICT (id, part) DO NOTHING'
const REMOVE = 'DELETE FROM attachment_parts WHERE id = $1'
const GET = 'SELECT bytes FROM attachment_parts WHERE id = $1 AND part = $2'
