import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const BEARER: Record<string, string> = { authorization: `Bearer ${TEST_TOKEN}` }
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

async function bring(test: TestGateway, type: string, body: Buffer | string, headers = BEARER): Promise<string> {
  const reply = await fetch(`${test.gateway.url}/api/attachments`, {
    method: 'POST',
    headers: { ...headers, 'content-type': type },
    body: Buffer.from(body),
  })
  return ((await reply.json()) as { id: string }).id
}

it('gives back a file with its type, to be shown only if it is a picture', async () => {
  await using test = await startTestGateway()
  for (const [type, disposition, sent] of [
    ['image/png', 'inline', 'image/png'],
    ['image/jpeg', 'inline', 'image/jpeg'],
    ['application/pdf', 'attachment', 'application/pdf'],
    ['text/plain', 'attachment', 'text/plain; charset=utf-8'],
  ]) {
    const id = await bring(test, type ?? '', PNG)
    const reply = await fetch(`${test.gateway.url}/api/attachments/${id}`, { headers: BEARER })
    expect(reply.status, type).toBe(200)
    expect(Buffer.from(await reply.arrayBuffer()), type).toEqual(PNG)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': sent,
      'content-disposition': disposition,
      'content-security-policy': expect.stringMatching(/(^|; )sandbox$/),
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  }
})

it('T11 shows a narrow credential what it brought and what its sessions use, and no other file', async () => {
  await using test = await startTestGateway()
  const mine = await test.session()
  const foreign = await test.session()
  const viewer = await test.credential({ role: 'viewer', sessionIds: [mine.session.id] })
  const approver = await test.credential({ role: 'approver', sessionIds: [mine.session.id] })
  const send = (sessionId: string, id: string) =>
    test.api.ok('POST', `/api/sessions/${sessionId}/messages`, { text: 'look', attachments: [id] })
  const status = async (who: typeof viewer, id: string) => (await who.api.call('GET', `/api/attachments/${id}`)).status

  const shared = await bring(test, 'image/png', PNG)
  expect(await status(viewer, shared)).toBe(404)
  await send(foreign.session.id, shared)
  expect(await status(viewer, shared)).toBe(404)
  await send(mine.session.id, shared)
  expect(await status(viewer, shared)).toBe(200)

  const own = await bring(test, 'image/png', PNG, approver.headers)
  expect(await status(approver, own)).toBe(200)
  expect(await status(viewer, own)).toBe(404)

  const first = await bring(test, 'text/plain', 'x')
  const { session } = await test.session({ prompt: 'read this', attachments: [first] })
  const reader = await test.credential({ role: 'viewer', sessionIds: [session.id] })
  expect(await status(reader, first)).toBe(200)
  expect(await status(reader, 'att_00000000000000000000000000')).toBe(404)
  expect(await status(reader, '..')).toBe(404)
})
