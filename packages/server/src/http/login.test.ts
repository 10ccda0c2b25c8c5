import { apiClient } from '@holdpoint/testing/api-client'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'

const codeOf = (link: string) => link.split('#login=')[1] ?? ''

describe('login', () => {
  it('trades the link’s code for a cookie that no script can read', async () => {
    await using test = await startTestGateway()
    const link = test.gateway.loginLink()
    expect(link.startsWith(`${test.gateway.url}/#login=`)).toBe(true)
    const nobody = apiClient(test.gateway.url)
    const reply = await nobody.call<{ device: { role: string; name: string } }>('POST', '/api/login', {
      code: codeOf(link),
    })
    expect(reply).toMatchObject({ status: 200, body: { device: { role: 'owner' } } })
    expect(JSON.stringify(reply.body)).not.toContain('secret')
    const cookie = reply.headers.get('set-cookie') ?? ''
    const { port } = new URL(test.gateway.url)
    expect(cookie).toMatch(
      new RegExp(`^holdpoint_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800$`),
    )
    const held = cookie.split(';')[0] ?? ''
    expect((await nobody.call('GET', '/api/sessions', undefined, { cookie: held })).status).toBe(200)
    const unsafe = (headers: Record<string, string>) =>
      nobody.call('POST', '/api/pairings', { role: 'viewer' }, { cookie: held, ...headers })
    expect(await unsafe({})).toMatchObject({ status: 403, body: { error: { code: 'marker_missing' } } })
    expect((await unsafe({ 'x-holdpoint': '1' })).status).toBe(201)
  })

  it('marks the cookie for HTTPS when a proxy with HTTPS is declared', async () => {
    await using test = await startTestGateway({ publicUrl: 'https://holdpoint.example' })
    const reply = await test.api.call('POST', '/api/login', { code: codeOf(test.gateway.loginLink()) })
    expect(reply.headers.get('set-cookie')).toMatch(/^__Host-holdpoint_\d+=.*; Path=\/; .*; Secure$/)
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
    expect(pairing.url).toBe(`${test.gateway.url}/#login=${pairing.code}`)
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
