import { Buffer } from 'node:buffer'
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { AgentEvent } from '@holdpoint/core/driver'
import { MAX_ATTACHMENT_BYTES } from '@holdpoint/schema/attachment-limits'
import type { AttachmentId } from '@holdpoint/schema/id'

export interface Picture {
  readonly type: string
  readonly bytes: Buffer
}

/** Keeps a picture for as long as its session; undefined where that is not possible. */
export type KeepPicture = (picture: Picture) => Promise<AttachmentId | undefined>

/** Types that a browser only ever paints, by how their bytes begin. What claims to be one and is not, or anything else, is left out. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n.\n/s,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF.{4}WEBP/s,
}
const MOST_OF_A_RESULT = 10
/** Of one life of an agent: what is more stays out, and the thread says that there was a picture (I10). */
const MOST_BYTES = 256 * 1024 * 1024

/** Keeps the pictures that tools returned, and names them in the results that they came with. */
export function createResultPictures(keep: KeepPicture) {
  let bytesLeft = MOST_BYTES

  async function keptOf(content: unknown): Promise<AttachmentId[]> {
    const ids: AttachmentId[] = []
    for (const picture of picturesIn(content).slice(0, MOST_OF_A_RESULT)) {
      if (picture.bytes.length > bytesLeft) break
      const id = await keep(picture)
      if (id === undefined) continue
      bytesLeft -= picture.bytes.length
      ids.push(id)
    }
    return ids
  }

  return async (message: SDKMessage, events: readonly AgentEvent[]): Promise<readonly AgentEvent[]> => {
    const contents = message.type === 'user' ? resultContents(message.message.content) : new Map<string, unknown>()
    const out: AgentEvent[] = []
    for (const event of events) {
      if (event.type !== 'item' || event.item.type !== 'tool-result') {
        out.push(event)
        continue
      }
      const attachments = await keptOf(contents.get(event.item.toolUseId))
      out.push(attachments.length > 0 ? { ...event, item: { ...event.item, attachments } } : event)
    }
    return out
  }
}

function resultContents(content: unknown): ReadonlyMap<string, unknown> {
  const contents = new Map<string, unknown>()
  for (const block of objectsIn(content)) {
    if (block.type === 'tool_result' && typeof block.tool_use_id === 'string')
      contents.set(block.tool_use_id, block.content)
  }
  return contents
}

function picturesIn(content: unknown): readonly Picture[] {
  return objectsIn(content).flatMap((block) => {
    const source = block.type === 'image' ? objectsIn([block.source])[0] : undefined
    const { type, media_type: mediaType, data } = source ?? {}
    if (type !== 'base64' || typeof mediaType !== 'string' || typeof data !== 'string') return []
    // Four characters of base64 are three bytes.
    if (data.length > (MAX_ATTACHMENT_BYTES / 3) * 4) return []
    const beginning = Object.hasOwn(BEGINNINGS, mediaType) ? BEGINNINGS[mediaType] : undefined
    const bytes = Buffer.from(data, 'base64')
    return beginning?.test(bytes.toString('latin1', 0, 16)) ? [{ type: mediaType, bytes }] : []
  })
}

function objectsIn(content: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block !== null) : []
}
