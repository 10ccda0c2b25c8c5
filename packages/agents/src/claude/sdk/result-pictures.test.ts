import { Buffer } from 'node:buffer'
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { AttachmentId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { agentEvents } from './agent-messages.ts'
import { createResultPictures, type Picture } from './result-pictures.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')
const image = (media_type: unknown, bytes: Buffer | string) => ({
  type: 'image',
  source: { type: 'base64', media_type, data: Buffer.from(bytes).toString('base64') },
})
const results = (...contents: unknown[]) =>
  ({
    type: 'user',
    message: { content: contents.map((content, n) => ({ type: 'tool_result', tool_use_id: `t${n}`, content })) },
  }) as unknown as SDKMessage

function keeper() {
  const kept: Picture[] = []
  const withPictures = createResultPictures(async (picture) => `att_${kept.push(picture)}` as AttachmentId)
  return { kept, itemsOf: async (message: SDKMessage) => withPictures(message, agentEvents(message)) }
}

it('keeps the pictures of a result, and names them in its item and in no other', async () => {
  const { kept, itemsOf } = keeper()
  const text = { type: 'text', text: 'Two.' }
  const items = await itemsOf(results([text, image('image/png', PNG), image('image/png', PNG)], 'none', [text]))
  expect(items).toMatchObject([
    { item: { toolUseId: 't0', text: 'Two.\n[image]\n[image]', attachments: ['att_1', 'att_2'] } },
    { item: { toolUseId: 't1', text: 'none' } },
    { item: { toolUseId: 't2' } },
  ])
  expect(items.filter((event) => 'item' in event && 'attachments' in event.item)).toHaveLength(1)
  expect(kept).toEqual([
    { type: 'image/png', bytes: PNG },
    { type: 'image/png', bytes: PNG },
  ])
})

it.each([
  ['SVG', image('image/svg+xml', '<svg onload="alert(1)"/>')],
  ['HTML as a PNG', image('image/png', '<script>alert(1)</script>')],
  ['a PNG as a JPEG', image('image/jpeg', PNG)],
  ['a name of every object', image('constructor', PNG)],
  ['no type', image(undefined, PNG)],
  ['a picture of elsewhere', { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }],
  ['more than a file may have', image('image/png', Buffer.concat([PNG, Buffer.alloc(8 * 1024 * 1024)]))],
  ['nothing', { type: 'image', source: null }],
])('T41 keeps as a picture no %s', async (_, block) => {
  const { kept, itemsOf } = keeper()
  expect(await itemsOf(results([block]))).toMatchObject([{ item: { text: '[image]' } }])
  expect(kept).toEqual([])
})

it('keeps a bounded number of one result, and of one life of the agent', async () => {
  const { kept, itemsOf } = keeper()
  await itemsOf(results(Array(30).fill(image('image/png', PNG))))
  expect(kept).toHaveLength(10)
  const large = Array(10).fill(image('image/png', Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)])))
  for (let time = 0; time < 5; time++) await itemsOf(results(large))
  expect(kept.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(256 * 1024 * 1024)
  expect(kept.length).toBeGreaterThan(40)
})
