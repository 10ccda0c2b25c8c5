import { createMemoryStore } from '@holdpoint/store/memory-store'
import { apiClient } from '@holdpoint/testing/api-client'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'
import { hashSecret } from '../auth/secrets.ts'

const codeOf = (link: string) => link.split('#login=')[1] ?? ''

describe('login', () => {
  it('T64 trades the link’s code for a secret that the page keeps, and sets no cookie', async () => {
    await using test = await startTestGateway()
    const link = test.gateway.loginLink()
    expect(link).toMatch(new RegExp(`^${test.gateway.url}/login/[\\w-]{11}#login=`))
    const nobody = apiClient(test.gateway.url)
    const reply = await nobody.call<{ device: object; secret: string }>('POST', '/api/login', { code: codeOf(link) })
    expect(reply).toMatchObject({ status: 200, body: { device: { role: 'owner' } } })
    expect(reply.headers.get('set-cookie')).toBeNull()
    const { device, secret } = reply.body
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(device)).not.toContain('ecret')
    const page = { 'x-holdpoint-secret': secret }
    expect((await nobody.call('GET', '/api/sessions', undefined, page)).status).toBe(200)
    expect((await nobody.call('POST', '/api/pairings', { role: 'viewer' }, page)).status).toBe(201)
  })

  it('T64 tells a browser that logged in by cookie why it is not logged in, and has it forget the cookie', async () => {
    const store = createMemoryStore()
    const at = Date.now()
    const old = { name: 'Firefox', role: 'owner', createdAt: at, lastSeenAt: at, expiresAt: at + 604_800_000 }
    const id = 'dev_01m7feqrab8kg79ph3fsjdh813'
    await store.records.put('devices', id, { id, ...old, secretHash: hashSecret('the-old-one'), kind: 'browser' })
    await using test = await startTestGateway({ store })
    const nobody = apiClient(test.gateway.url)
    const cookie = 'theme=dark; __Host-holdpoint_4680=planted; holdpoint_4680=the-old-one'
    for (const path of ['/api/me', '/api/sessions', '/api/nothing']) {
      const reply = await nobody.call<{ error: object }>('GET', path, undefined, { cookie })
      expect(reply).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
      expect(reply.body.error).toMatchObject({ detail: expect.stringContaining('log in once more') })
    }
    const others = await nobody.call<{ error: object }>('GET', '/api/me', undefined, {
      cookie: 'holdpoint_4680=planted',
    })
    expect(others.status).toBe(401)
    expect(others.body.error).not.toHaveProperty('detail')
    const login = await nobody.call('POST', '/api/login', { code: codeOf(test.gateway.loginLink()) }, { cookie })
    expect(login.headers.get('set-cookie')).toBe('holdpoint_4680=; Path=/; Max-Age=0')
  })

  it('T64 proves and gives nothing for the local address to whoever comes by the public one', async () => {
    await using test = await startTestGateway({ publicUrl: 'https://name.example' })
    const local = { host: new URL(test.gateway.url).host, origin: test.gateway.url }
    const open = { host: 'name.example', origin: 'https://name.example' }
    const { device } = await test.credential({ role: 'owner' }, 'browser')
    const ask = async ({ host }: typeof local, { origin }: typeof local) => {
      const headers = { 'content-type': 'application/json', origin }
      const body = JSON.stringify({ device: device.id, nonce: 'n'.repeat(43) })
      return sendRaw(test.gateway.url, { method: 'POST', path: '/api/proofs', hosts: [host], headers, body })
    }
    expect((await ask(local, local))?.status).toBe(200)
    expect((await ask(open, open))?.status).toBe(200)
    const refused = await ask(open, local)
    expect(refused?.status).toBe(421)
    expect(refused?.body).toContain('send its own name as Host')
    expect((await ask(local, open))?.status).toBe(421)
  })

  it('T64 logs no page in under the name localhost, uses up no code there, and sends browsers to the address', async () => {
    await using test = await startTestGateway()
    const { port } = new URL(test.gateway.url)
    const code = codeOf(test.gateway.loginLink())
    const knock = (method: string, path: string, body?: object, headers = {}) =>
      sendRaw(test.gateway.url, {
        method,
        path,
        hosts: [`localhost:${port}`],
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
    const refused = await knock('POST', '/api/login', { code })
    expect(refused?.status).toBe(421)
    expect(refused?.body).toContain('Open the gateway by its address')
    for (const path of ['/', '/sessions/ses_1', '/settings?a=b']) {
      const moved = await knock('GET', path)
      expect(moved?.status).toBe(307)
      expect(moved?.head).toContain(`location: http://127.0.0.1:${port}${path}\r\n`)
    }
    const { secret } = await test.api.ok<{ secret: string }>('POST', '/api/login', { code })
    const page = { 'x-holdpoint-secret': secret }
    expect((await knock('GET', '/api/me', undefined, page))?.status).toBe(421)
    expect((await knock('POST', '/api/tickets', { path: '/event' }, page))?.status).toBe(421)
    // A program may use the name, and log in under it.
    const program = await knock('POST', '/api/login', { code: codeOf(test.gateway.loginLink()), bearer: true })
    const { token } = JSON.parse(program?.body ?? '')
    const bearer = { authorization: `Bearer ${token}` }
    expect((await knock('GET', '/api/me', undefined, bearer))?.status).toBe(200)
    expect((await knock('POST', '/api/tickets', { path: '/event' }, bearer))?.status).toBe(201)
  })

  it('takes a code once', async () => {
    await using test = await startTestGateway()
    const code = codeOf(test.gateway.loginLink())
    const tries = await Promise.all([1, 2, 3].map(() => test.api.call('POST', '/api/login', { code })))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  it('T47 says no more than five times a minute that a code is wrong, and takes a good one all the same', async () => {
    await using test = await startTestGateway()
    const tries = await Promise.all(
      Array.from({ length: 200 }, (_, i) => test.api.call('POST', '/api/login', { code: `wrong ${i}` })),
    )
    const statuses = tries.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBe(5)
    expect(statuses.filter((status) => status === 429).length).toBe(195)
    expect(tries.at(-1)?.body).toMatchObject({ error: { code: 'too_many_attempts' } })
    const code = codeOf(test.gateway.loginLink())
    expect((await test.api.call('POST', '/api/login', { code })).status).toBe(200)
    // A code that was good once is a wrong one, too.
    expect((await test.api.call('POST', '/api/login', { code })).status).toBe(429)
  })

  const YEARS = 10 * 365 * 24 * 3_600_000
  it.each([3_600_000, -3_600_000, YEARS, -YEARS])(
    'F28 T47 counts wrong codes in minutes that pass, whatever the clock is set to (%i ms)',
    async (jump) => {
      const time = createManualClock()
      await using test = await startTestGateway({ clock: time.clock })
      const wrong = async () => (await test.api.call('POST', '/api/login', { code: 'wrong' })).status
      for (let i = 0; i < 5; i++) expect(await wrong()).toBe(401)
      time.set(jump)
      expect(await wrong()).toBe(429)
      time.skip(60_000)
      expect(await wrong()).toBe(401)
    },
  )

  it('pairs another device with the role and the sessions it was given', async () => {
    await using test = await startTestGateway()
    const { session } = await test.session()
    const pairing = await test.api.ok<{ code: string; url: string; expiresAt: number }>('POST', '/api/pairings', {
      role: 'viewer',
      sessionIds: [session.id],
    })
    expect(pairing.url).toMatch(new RegExp(`^${test.gateway.url}/login/[\\w-]{11}#login=${pairing.code}$`))
    expect(pairing.expiresAt).toBeGreaterThan(Date.now())
    const { token, device } = await test.api.ok<{ token: string; device: { id: string } }>('POST', '/api/login', {
      code: pairing.code,
      bearer: true,
      name: 'a script',
    })
    expect((await apiClient(test.gateway.url, token).call('GET', '/api/sessions')).status).toBe(200)
    const { devices } = await test.api.ok<{ devices: object[] }>('GET', '/api/devices')
    expect(devices).toContainEqual(
      expect.objectContaining({ id: device.id, name: 'a script', role: 'viewer', sessionIds: [session.id] }),
    )
    expect(JSON.stringify(devices)).not.toContain('ecret')
  })
})
