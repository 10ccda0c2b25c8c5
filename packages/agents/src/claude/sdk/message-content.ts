import type { ContentBlockParam } from '@anthropic-ai/sdk/resources'
import type { OutgoingMessage } from '@holdpoint/core/driver'
import { DriverError } from '@holdpoint/core/driver'
import type { AttachmentId } from '@holdpoint/schema/id'

export type ContentBlocks = ContentBlockParam[]
type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** A message with its attachments as the model takes them: pictures, other files, then the words; each in their order. */
export async function messageContent(
  message: OutgoingMessage,
  read: (id: AttachmentId) => Promise<{ type: string; bytes: Buffer } | undefined>,
): Promise<ContentBlocks> {
  const images: ContentBlocks = []
  const others: ContentBlocks = []
  for (const id of message.attachments) {
    const file = await read(id)
    if (!file) throw new DriverError('attachment-missing', `The attachment ${id} no longer exists.`)
    const block = attachmentBlock(file.type, file.bytes)
    if (block.type === 'image') images.push(block)
    else others.push(block)
  }
  return [...images, ...others, { type: 'text', text: message.text }]
}

function attachmentBlock(type: string, bytes: Buffer): ContentBlocks[number] {
  if (type.startsWith('image/')) {
    return { type: 'image', source: { type: 'base64', media_type: type as ImageType, data: bytes.toString('base64') } }
  }
  if (type === 'application/pdf') {
    return {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') },
    }
  }
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: bytes.toString('utf8') } }
}
