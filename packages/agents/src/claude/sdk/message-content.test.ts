import type { AttachmentId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { messageContent } from './message-content.ts'

const FILES: Record<string, string> = {
  att_notes: 'text/plain',
  att_first: 'image/png',
  att_paper: 'application/pdf',
  att_second: 'image/jpeg',
}
const read = async (id: AttachmentId) => {
  const type = FILES[id]
  return type === undefined ? undefined : { type, bytes: Buffer.from(id) }
}
const message = (attachments: string[]) => ({ uuid: 'u', text: 'Look', attachments: attachments as AttachmentId[] })

it('puts pictures before other files, and the words last, each in the order in which they were attached', async () => {
  const blocks = await messageContent(message(Object.keys(FILES)), read)
  expect(blocks).toMatchObject([
    { type: 'image', source: { media_type: 'image/png', data: Buffer.from('att_first').toString('base64') } },
    { type: 'image', source: { media_type: 'image/jpeg' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'att_notes' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf' } },
    { type: 'text', text: 'Look' },
  ])
})

it('sends nothing where one of the files is gone', async () => {
  await expect(messageContent(message(['att_first', 'att_gone']), read)).rejects.toThrow('att_gone no longer exists')
})
