import type { AttachmentId } from '@holdpoint/schema/id'

/** Where the bytes of files are that people send along with messages. */
export interface AttachmentBytes {
  /** Each id has the same bytes for ever. They are there to stay when it resolves. */
  write(id: AttachmentId, bytes: Uint8Array): Promise<void>
  /** Piece by piece: they may be many, and be wanted many times at once (F58). */
  read(id: AttachmentId): AsyncIterable<Uint8Array>
  /** Once more does no harm. */
  remove(id: AttachmentId): Promise<void>
}
