import type { Ask } from '@holdpoint/schema/ask'
import type { Role } from '@holdpoint/schema/outcome'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: TIMEOUT_MS })

const ROLES: Role[] = ['owner', 'approver', 'viewer', 'raiser']

const claimedValue = fc.oneof(
  fc.constantFrom('owner', 'admin', true, 1, ['*'], { role: 'owner' }),
  fc.string({ maxLength: 12 }),
)
const claimedField = fc.constantFrom(
  'role',
  'roles',
  'actor',
  'by',
  'via',
  'device',
  'deviceId',
  'user',
  'admin',
  'isOwner',
  'scope',
  'scopes',
  'sessionIds',
  'sessionId',
  'permissions',
  'mayAnswer',
  'bound',
  'retryKey',
  'outcome',
)
const claimedHeader = fc.constantFrom(
  'x-role',
  'x-user',
  'x-forwarded-user',
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'x-remote-user',
  'x-holdpoint',
  'x-holdpoint-role',
  'x-holdpoint-device',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'via',
  'from',
)
const headerText = fc.constantFrom('owner', 'admin', '127.0.0.1', 'for=127.0.0.1', 'terminal', '1', '/api/health', '*')

it('T9 takes nobody’s word for what they may do', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const low = {
    viewer: await test.credential({ role: 'viewer' }),
    raiser: await test.credential({ role: 'raiser' }),
    foreign: await test.credential({ role: 'approver', sessionIds: ['ses_00000000000000000000000001'] }),
  }
  const before = await test.events()
  const numRuns = LONG ? 2000 : 80
  let requests = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(['viewer', 'raiser', 'foreign'] as const)),
      fc.dictionary(claimedField, claimedValue, { maxKeys: 4 }),
      fc.dictionary(claimedHeader, headerText, { maxKeys: 4 }),
      async (who, fields, headers) => {
        const { api } = low[who]
        const answer = { kind: 'allow', digest: ask.digest }
        const query = new URLSearchParams(
          Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)]),
        )
        const attempts = [
          ['POST', `/api/asks/${ask.id}/answer`, { ...fields, ...answer }],
          ['POST', `/api/asks/${ask.id}/answer?${query}`, answer],
          ['POST', '/api/asks/answer', { ...fields, answers: [{ ...fields, ...answer, id: ask.id }] }],
          ['POST', `/api/sessions/${session.id}/interrupt`, fields],
          ['DELETE', `/api/sessions/${session.id}`, fields],
          ['POST', '/api/pairings', { ...fields, role: 'owner' }],
          ['GET', `/api/devices?${query}`, undefined],
        ] as const
        for (const [method, path, body] of attempts) {
          requests++
          const reply = await api.call<{ error?: object; results?: { status: number }[] }>(method, path, body, headers)
          expect(reply.body.results?.[0]?.status ?? reply.status, `${who} ${method} ${path}`).toBeGreaterThanOrEqual(
            400,
          )
        }
      },
    ),
    { numRuns },
  )
  expect(await test.events()).toBe(before)
  report(`T9: ${requests} calls with claims`)
})

it('T9 records the server’s own knowledge of who answered', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const approver = await test.credential({ role: 'approver' })
  const { ask, outcome } = await test.openAsk(agent)
  const claims = { 'x-forwarded-user': 'somebody else', 'x-role': 'owner', from: 'boss@example.com' }
  expect((await approver.api.answer(ask, { kind: 'allow' }, claims)).status).toBe(200)
  const { id, name, role } = approver.device
  expect(await outcome).toMatchObject({ by: { device: id, name, role }, via: 'api' })
})

it('T11 a credential cannot bring a foreign file into its own session to read it there', async () => {
  await using test = await startTestGateway()
  const [mine, foreign] = [await test.session(), await test.session()]
  const narrow = await test.credential({ role: 'owner', sessionIds: [mine.session.id] })
  const upload = async (headers: Record<string, string>) => {
    const request = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'secret' }
    const reply = await fetch(`${test.gateway.url}/api/attachments`, request)
    return ((await reply.json()) as { id: string }).id
  }
  const token = { authorization: `Bearer ${TEST_TOKEN}` }
  const [secret, own] = [await upload(token), await upload(narrow.headers)]
  const send = (api: typeof test.api, sessionId: string, attachments: string[]) =>
    api.call('POST', `/api/sessions/${sessionId}/messages`, { text: 'look', attachments })
  expect((await send(test.api, foreign.session.id, [secret])).status).toBe(202)
  const refused = { status: 422, body: { error: { code: 'unknown_attachment' } } }
  expect(await send(narrow.api, mine.session.id, [own, secret])).toMatchObject(refused)
  // Starting and resuming are not for a credential of some sessions at all.
  const resumption = { resume: mine.session.id, prompt: 'look', attachments: [secret] }
  expect((await narrow.api.call('POST', '/api/sessions', resumption)).status).toBe(403)
  expect((await narrow.api.call('GET', `/api/attachments/${secret}`)).status).toBe(404)
  expect((await send(narrow.api, mine.session.id, [own])).status).toBe(202)
})

it('T11 answers for foreign and for absent asks alike, and for others as the server’s own record says', async () => {
  await using test = await startTestGateway()
  const sessions = await Promise.all([0, 1, 2, 3].map(() => test.session()))
  const asks: Ask[] = []
  for (const { agent } of sessions) for (let i = 0; i < 3; i++) asks.push((await test.openAsk(agent)).ask)
  const absent = asks.map((ask) => ({ ...ask, id: `${ask.id.slice(0, -3)}zzz` as Ask['id'] }))
  const ids = sessions.map(({ session }) => session.id)
  const credentials = await Promise.all(
    ROLES.flatMap((role) =>
      [[0], [1, 2], [3], undefined].map((scope) =>
        test.credential({ role, ...(scope && { sessionIds: ids.filter((_, index) => scope.includes(index)) }) }),
      ),
    ),
  )
  const before = await test.events()
  const numRuns = LONG ? 100_000 : 1500
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...credentials),
      fc.constantFrom(...asks, ...absent),
      fc.constantFrom('read', 'seen', 'answer', 'withdraw'),
      async ({ device, api }, ask, action) => {
        const visible = asks.includes(ask) && (device.sessionIds?.includes(ask.sessionId) ?? true)
        const reply =
          action === 'read'
            ? await api.call('GET', `/api/asks/${ask.id}`)
            : // A wrong digest: who gets as far as that may answer, and the ask stays open for the next round.
              action === 'answer'
              ? await api.answer(ask, { kind: 'allow', digest: 'wrong' })
              : await api.call('POST', `/api/asks/${ask.id}/${action}`)
        const mayAct = {
          read: device.role !== 'raiser',
          seen: device.role !== 'raiser',
          answer: device.role === 'owner' || device.role === 'approver',
          // The agent raised it, not this credential.
          withdraw: false,
        }[action as 'read']
        const refusedByRole =
          (action === 'answer' && !mayAct) ||
          (action === 'seen' && !mayAct) ||
          (action === 'withdraw' && device.role !== 'raiser')
        const granted = { read: 200, seen: 204, answer: 409, withdraw: 200 }[action as 'read']
        expect(reply.status).toBe(refusedByRole ? 403 : visible && mayAct ? granted : 404)
        if (reply.status === 404) {
          expect(reply.body).toEqual({
            error: { code: 'not_found', message: 'Not found, or this credential is not allowed to see it.' },
          })
        }
      },
    ),
    { numRuns },
  )
  const sightings = (await test.events()) - before
  expect(sightings).toBeLessThanOrEqual(credentials.length * asks.length)
  expect((await test.api.openAsks()).length).toBe(asks.length)
  report(`T11: ${numRuns} calls by ${credentials.length} credentials`)
})
