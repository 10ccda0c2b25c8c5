import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { AttachmentBytes } from '@holdpoint/core/attachment-bytes'
import type { Records } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import { AttachmentId, type DeviceId, idOfHash, type NewId, type SessionId } from '@holdpoint/schema/id'
import type { Pieces } from '../transport/send-pieces.ts'

export interface Attachment {
  readonly id: AttachmentId
  readonly type: string
  readonly bytes: Buffer
}

export const ATTACHMENTS = 'attachments'
/** Which sessions' messages name a file. */
const USES = 'attachment-uses'

interface Description {
  readonly type: string
  readonly size: number
  readonly by?: DeviceId
}

/** Files that people send along with a message. Their descriptions are in the store. */
export function createAttachments(deps: { bytes: AttachmentBytes; records: Records; newId: NewId }) {
  const describe = async (id: AttachmentId) => (await deps.records.get(ATTACHMENTS, id)) as Description | undefined

  async function find(id: AttachmentId) {
    // The id becomes a file name: only one of our own making may.
    return AttachmentId.safeParse(id).success ? describe(id) : undefined
  }

  return {
    async save(type: string, bytes: Buffer, by?: DeviceId): Promise<AttachmentId> {
      const id = deps.newId('att')
      await deps.bytes.write(id, bytes)
      await deps.records.put(ATTACHMENTS, id, { type, size: bytes.length, ...(by && { by }) } satisfies Description)
      return id
    },
    /** A file of a session's agent. Its id is made of its bytes: the same output, processed again after a crash, adds nothing. */
    async keep(sessionId: SessionId, { type, bytes }: { type: string; bytes: Buffer }): Promise<AttachmentId> {
      const id = idOfHash('att', createHash('sha256').update(`${sessionId}\n${type}\n`).update(bytes).digest())
      if (!(await describe(id))) {
        // First: from here on it goes when the session goes, however far this comes.
        await deps.records.put(USES, useKey(id, sessionId), {})
        await deps.bytes.write(id, bytes)
        await deps.records.put(ATTACHMENTS, id, { type, size: bytes.length } satisfies Description)
      }
      return id
    },
    /** From here on these files belong to the session too: whoever sees it may read them. */
    async useIn(sessionId: SessionId, ids: readonly AttachmentId[] = []): Promise<void> {
      for (const id of ids) await deps.records.put(USES, useKey(id, sessionId), {})
    },
    /** Files that only this session's messages name go with it. */
    async removeOf(sessionId: SessionId): Promise<void> {
      const uses = (await deps.records.list(USES)).map(({ key }) => key)
      for (const key of uses.filter((use) => use.endsWith(` ${sessionId}`))) {
        const id = key.slice(0, -` ${sessionId}`.length) as AttachmentId
        const isShared = uses.some((use) => use !== key && use.startsWith(`${id} `))
        if (!isShared) {
          await deps.bytes.remove(id)
          await deps.records.remove(ATTACHMENTS, id)
        }
        // Last: until then it is known what there is to remove.
        await deps.records.remove(USES, key)
      }
    },
    /** A credential for some sessions reads what it brought itself and what those sessions use, nothing else (T11). */
    async isFor(device: Device, id: AttachmentId): Promise<boolean> {
      const description = await describe(id)
      if (!description) return false
      if (!device.sessionIds || description.by === device.id) return true
      for (const sessionId of device.sessionIds)
        if ((await deps.records.get(USES, useKey(id, sessionId))) !== undefined) return true
      return false
    },
    async read(id: AttachmentId): Promise<Attachment | undefined> {
      const found = await find(id)
      if (!found) return undefined
      const bytes = await buffer(deps.bytes.read(id))
      // Half of a file is none.
      return bytes.length === found.size ? { id, type: found.type, bytes } : undefined
    },
    /** To be read piece by piece: it may be large, and many may want it at once (F58). */
    async open(id: AttachmentId): Promise<{ readonly type: string; readonly file: Pieces } | undefined> {
      const found = await find(id)
      return found && { type: found.type, file: { size: found.size, read: () => deps.bytes.read(id) } }
    },
  }
}

function useKey(id: AttachmentId, sessionId: SessionId): string {
  return `${id} ${sessionId}`
}

export type Attachments = ReturnType<typeof createAttachments>
