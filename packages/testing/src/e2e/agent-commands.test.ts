import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ModelCall, say, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { expect, it, vi } from 'vitest'
import { apiClient } from '../api-client.ts'
import { openJsonSocket } from '../json-socket.ts'
import { until } from '../until.ts'
import { type RealGateway, type RealSession, startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000 })

const COMMANDS = [
  '/config permissionMode=auto',
  '/settings theme=dark',
  '/model haiku',
  '/heapdump',
  '/output-style Proactive',
]

/** Writes a file and runs a command when it is told to. */
function works(call: ModelCall) {
  if (!call.lastUserText.includes('Go')) return say('ready')
  const calls = [
    use('Write', { file_path: join(call.cwd ?? '', 'written'), content: 'x' }),
    use('Bash', { command: 'touch touched' }),
  ]
  const next = calls[call.rounds.length]
  return next ? { content: [next] } : say('done')
}

const settingsOf = (real: RealGateway) => readFile(join(real.home, '.claude/settings.json'), 'utf8').catch(() => 'none')
const isOf = (tool: string) => (ask: Ask) => ask.tool?.name === tool

async function expectAsks(session: RealSession) {
  await session.send('Go')
  for (const tool of ['Write', 'Bash']) await session.answer(await session.ask(isOf(tool)), { kind: 'deny' })
  await session.idle()
  expect([await session.file('written'), await session.file('touched')]).toEqual([undefined, undefined])
}

it('T38 what only an owner may change, nobody else changes by a message that is a command to the agent', async () => {
  await using real = await startRealGateway({ scripts: { works } })
  const session = await real.session('works')
  await session.idle()
  const { code } = await real.api.ok<{ code: string }>('POST', '/api/pairings', {
    role: 'approver',
    sessionIds: [session.id],
  })
  const login = { code, bearer: true, name: 'an approver of one session' }
  const { token } = await real.api.ok<{ token: string }>('POST', '/api/login', login)
  const approver = apiClient(real.gateway.url, token)
  const path = `/api/sessions/${session.id}/messages`
  const chat = await openJsonSocket<{ type: string; error?: string; message?: string }>(
    real.gateway.url,
    `/ws/chat/${session.id}`,
    { authorization: `Bearer ${token}` },
  )
  const before = (await session.items()).length

  for (const text of COMMANDS) {
    const name = text.split(' ')[0]
    expect(await approver.call('POST', path, { text })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: expect.stringContaining(`“${name}”`) } },
    })
    const streamed = await approver.call('POST', path, { content: text }, { accept: 'text/event-stream' })
    expect(streamed).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const from = chat.messages.length
    chat.send({ type: 'message', data: { text } })
    const refused = await chat.message(({ type }) => type === 'error', 'the refusal', from)
    expect(refused).toMatchObject({ error: 'forbidden', message: expect.stringContaining(`“${name}”`) })
  }
  chat.close()
  expect((await session.items()).length).toBe(before)
  expect(await settingsOf(real)).toBe('none')

  // What only shows figures may be sent; so may words.
  expect(await approver.call('POST', path, { text: '/context' })).toMatchObject({ status: 202 })
  await until(async () => JSON.stringify(await session.items()).includes('Context Usage'), 'the figures')

  // The owner changes their own settings, for other sessions too; the gate of those here stays as it is.
  await session.send('/config permissionMode=auto useAutoModeDuringPlan=true')
  await until(async () => (await settingsOf(real)).includes('"auto"'), 'the settings to be written')
  await expectAsks(session)
  expect(await session.read()).toMatchObject({ permissionMode: 'default', state: 'user_turn' })
  const next = await real.session('works')
  await next.idle()
  await expectAsks(next)
})
