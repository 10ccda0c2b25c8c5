import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { report } from '@holdpoint/testing/long'
import { type RawRequest, sendRaw } from '@holdpoint/testing/raw-http'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const JSON_TYPE = { 'content-type': 'application/json' }
const AUTHORIZED = { authorization: `Bearer ${TEST_TOKEN}` }

/** Requests of confused clients: the secret is where it does not belong, and each of them is refused. */
function misplaced(secret: string): RawRequest[] {
  const post = (path: string, body: unknown, headers: Record<string, string> = AUTHORIZED): RawRequest => ({
    method: 'POST',
    path,
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return [
    { path: `/api/sessions?token=${secret}` },
    { path: `/api/events?ticket=${secret}` },
    { path: `/api/nothing?ticket=${secret}`, headers: AUTHORIZED },
    { path: `/${secret}`, headers: AUTHORIZED },
    { path: `/api/asks/${secret}`, headers: AUTHORIZED },
    { path: `/api/sessions/${secret}/items`, headers: AUTHORIZED },
    { path: `/api/asks?status=${secret}`, headers: AUTHORIZED },
    { path: `/api/events?${secret}=1`, headers: AUTHORIZED },
    { path: '/api/sessions', headers: { authorization: `Basic ${secret}` } },
    { path: '/api/sessions', headers: { authorization: secret } },
    { path: '/api/sessions', headers: { cookie: `token=${secret}; holdpoint=${secret}` } },
    { path: '/api/sessions', headers: { 'x-api-key': secret, 'user-agent': secret } },
    { path: '/api/sessions', hosts: [secret], headers: AUTHORIZED },
    { path: '/api/sessions', headers: { ...AUTHORIZED, origin: `http://${secret}` } },
    { method: secret.replace(/[^A-Za-z]/g, ''), path: '/api/sessions' },
    { path: '/api/sessions', headers: { 'x-filler': `${secret}${'x'.repeat(17_000)}` } },
    post('/api/login', { code: 'wrong', name: secret }),
    post('/api/login', { code: 'wrong', [secret]: secret }),
    post('/api/login', `{"code":"${secret}`),
    post('/api/sessions', { agent: secret, cwd: '/' }),
    post('/api/sessions', { agent: 'synthetic', cwd: `/${secret}` }),
    post('/api/sessions', { agent: 'synthetic', cwd: '/', [secret]: 1 }),
    post('/api/sessions', { agent: 'synthetic', cwd: '/', permissionMode: secret }),
    post('/api/sessions', { agent: 'synthetic', cwd: '/', resume: secret }),
    post('/api/sessions', { agent: 'synthetic', cwd: '/', attachments: [secret] }),
    post('/api/pairings', { role: secret }),
    post('/api/asks/answer', { answers: [{ kind: secret, digest: secret }] }),
    post('/api/asks', { requestId: secret, kind: secret }),
    post(`/api/asks/ask_00000000000000000000000000/answer`, { kind: 'allow', digest: secret }),
    post('/api/attachments', secret, { ...AUTHORIZED, 'content-type': 'application/x-secret' }),
    post('/api/pairings', `${secret}`),
  ]
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

it('T43 T54 leaves no secret in logs, events, figures, refusals or files, and no file that others can read', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdpoint-secrets-'))
  const store = await openSqliteStore({ path: join(dataDir, 'holdpoint.db') })
  try {
    await using test = await startTestGateway({ dataDir, store })
    const { url } = test.gateway
    const secrets: string[] = [TEST_TOKEN]
    const bodies: string[] = []
    const refuse = async (request: RawRequest) => {
      const reply = await sendRaw(url, request)
      expect(reply?.status ?? 400, JSON.stringify(request).slice(0, 300)).toBeGreaterThanOrEqual(400)
      bodies.push(`${reply?.head}\n${reply?.body}`)
    }

    // Login by link, pairing, login by code as a program.
    const code = test.gateway.loginLink().split('#login=')[1] ?? ''
    const login = await test.api.ok<{ secret: string }>('POST', '/api/login', { code })
    const page = { 'x-holdpoint-secret': login.secret, origin: url }
    const pairing = await test.api.ok<{ code: string; url: string }>('POST', '/api/pairings', { role: 'approver' })
    const bearer = await test.api.ok<{ token: string }>('POST', '/api/login', { code: pairing.code, bearer: true })
    const unused = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'viewer' })
    secrets.push(code, login.secret, pairing.code, bearer.token, unused.code)
    expect(secrets.every((secret) => secret.length >= 32)).toBe(true)

    // Work: answers by a page, by token and on a socket, an attachment, failures.
    const { session, agent } = await test.session({ prompt: 'go' })
    const ways: Record<string, string>[] = [page, { authorization: `Bearer ${bearer.token}` }]
    for (const headers of ways) {
      const { ask } = await test.openAsk(agent)
      const body = JSON.stringify({ kind: 'allow', digest: ask.digest })
      const answer = { method: 'POST', path: `/api/asks/${ask.id}/answer`, headers: { ...JSON_TYPE, ...headers }, body }
      expect((await sendRaw(url, answer))?.status).toBe(200)
      await refuse(answer)
    }
    const ticket = await test.api.ok<{ ticket: string }>('POST', '/api/tickets', { path: '/api/stream' })
    secrets.push(ticket.ticket)
    const stream = await openStream(url, page)
    stream.send({ type: 'subscribe' })
    await test.api.call('POST', '/api/attachments', 'a file', { 'content-type': 'text/plain' })

    for (const secret of secrets) {
      for (const request of misplaced(secret)) await refuse(request)
      stream.send(`{"type":"answer","ref":"r","id":"${secret}","kind":"${secret}","${secret}":1}`)
      stream.send({ type: secret })
      stream.send(secret)
      stream.send({ type: 'subscribe', sessionId: secret })
    }
    await until(
      async () => stream.messages.filter((message) => message.error).length >= 20 || stream.socket.readyState > 1,
      'the replies',
    )
    await test.api.call('DELETE', `/api/sessions/${session.id}`)
    const metrics = String((await test.api.call('GET', '/metrics')).body)
    const events = JSON.stringify(await store.events({ after: 0, limit: 10_000 }))
    const records = JSON.stringify(
      await Promise.all(
        ['devices', 'attachments', 'trusted-folders', 'settings'].map((name) => store.records.list(name)),
      ),
    )
    const lists = JSON.stringify([
      await test.api.call('GET', '/api/devices'),
      await test.api.call('GET', '/api/openapi.json'),
      await test.api.call('GET', '/api/sessions'),
    ])
    stream.close()

    const files = await filesUnder(dataDir)
    const places: Record<string, string> = {
      log: test.logged.join(''),
      refusals: bodies.join('\n'),
      frames: JSON.stringify(stream.messages),
      metrics,
      events,
      records,
      lists,
    }
    for (const file of files) places[file] = (await readFile(file)).toString('latin1')
    for (const [place, text] of Object.entries(places)) {
      for (const secret of secrets) expect(text.includes(secret), `${place} holds a secret`).toBe(false)
    }
    for (const file of files) expect((await stat(file)).mode & 0o077, file).toBe(0)
    expect(places.log).toContain('device_logged_in')
    report(`T43: ${secrets.length} secrets, ${bodies.length} refusals, ${files.length} files, 0 hits`)
  } finally {
    await store.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})
