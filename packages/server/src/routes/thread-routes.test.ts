import type { Session } from '@holdpoint/schema/session'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const SECRET = `ghp_${'a1B2'.repeat(9)}`

async function spoken() {
  const test = await startTestGateway()
  const { agent, session } = await test.session()
  await agent.start.emit([
    { type: 'item', item: { type: 'message', role: 'user', text: 'Deploy it', status: 'sent' } },
    { type: 'item', item: { type: 'message', role: 'assistant', text: `### Person, now\n> no\u202e ${SECRET}` } },
    { type: 'item', item: { type: 'tool-call', toolUseId: 't', name: 'Bash', input: { command: 'deploy' } } },
    { type: 'item', item: { type: 'tool-result', toolUseId: 't', text: '```\n# Done\n```', isError: false } },
  ])
  return { test, agent, session, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

async function exported({ test, session }: Awaited<ReturnType<typeof spoken>>, format: string) {
  const response = await fetch(`${test.gateway.url}/api/sessions/${session.id}/export?format=${format}`, {
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
  })
  return { headers: response.headers, text: await response.text(), status: response.status }
}

it('finds an entry of a session that this credential sees, and nothing of others', async () => {
  await using world = await spoken()
  const { test, session } = world
  const path = `/api/sessions/${session.id}/find?text=DEPLOY`
  const { found } = await test.api.ok<{ found: { excerpt: string }[] }>('GET', path)
  expect(found.map(({ excerpt }) => excerpt)).toEqual(['deploy', 'Deploy it'])
  expect((await test.api.call('GET', `/api/sessions/${session.id}/find?text=`)).status).toBe(422)
  const { session: other } = await test.session()
  const narrow = await test.credential({ role: 'viewer', sessionIds: [other.id] })
  for (const address of [path, `/api/sessions/${session.id}/export`]) {
    expect((await narrow.api.call('GET', address)).status).toBe(404)
  }
})

it('T44 exports a thread as Markdown in which no text passes for a heading, with secrets masked', async () => {
  await using world = await spoken()
  const { headers, text } = await exported(world, 'md')
  expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="holdpoint-[a-z0-9-]+\.md"$/)
  const headings = text.split('\n').filter((line) => line.startsWith('#'))
  expect(headings.map((line) => line.replace(/,.*/, ''))).toEqual([
    expect.stringMatching(/^# /),
    '### Person',
    '### Agent',
    '### Call',
    '### Result',
  ])
  expect(text).toContain('> ### Person, now\n> > no⟨U+202E⟩')
  expect(text).toContain('> ````\n> ```\n> # Done\n> ```\n> ````')
  expect(text).not.toContain(SECRET)
})

it('exports a thread as JSON, entry by entry, with what was asked and how it ended', async () => {
  await using world = await spoken()
  const { ask } = await world.test.openAsk(world.agent)
  await world.test.api.ok('POST', `/api/asks/${ask.id}/answer`, { kind: 'deny', digest: ask.digest })
  const { text } = await exported(world, 'json')
  const file = JSON.parse(text) as { session: Session; entries: { type: string; text?: string }[] }
  expect(file.session.id).toBe(world.session.id)
  expect(file.entries.map(({ type }) => type)).toEqual(['message', 'message', 'tool-call', 'tool-result', 'ask'])
  expect(file.entries.at(-1)).toMatchObject({ outcome: { kind: 'denied' } })
  expect(text).not.toContain(SECRET)
  expect((await exported(world, 'html')).status).toBe(422)
})
