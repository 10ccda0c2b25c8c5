import { sendRaw, UPGRADE } from '@holdpoint/testing/raw-http'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SHELL = 'tauri://localhost'
const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const FROM_SHELL = { origin: SHELL, 'sec-fetch-site': 'cross-site' }
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }

let test: TestGateway
beforeAll(async () => {
  test = await startTestGateway({ allowOrigins: [SHELL, 'https://app.example'] })
})
afterAll(() => test[Symbol.asyncDispose]())

const send = (path: string, headers: Record<string, string>, method = 'GET', body = '') =>
  sendRaw(test.gateway.url, { method, path, headers, body })

describe('an origin that is allowed', () => {
  it('may ask, and is told what it may send', async () => {
    const reply = await send('/api/asks', { ...FROM_SHELL, ...PREFLIGHT }, 'OPTIONS')
    expect(reply?.status).toBe(204)
    expect(reply?.head).toContain(`access-control-allow-origin: ${SHELL}`)
    expect(reply?.head).toMatch(/access-control-allow-headers: .*authorization/)
    expect(reply?.head).toContain('vary: origin')
    expect(reply?.head).not.toContain('allow-credentials')
    expect(reply?.head).not.toContain('x-holdpoint-secret')
  })

  it('calls with a token, and reads refusals too', async () => {
    const reply = await send('/api/sessions', { ...FROM_SHELL, ...BEARER })
    expect(reply?.status).toBe(200)
    expect(reply?.head).toContain(`access-control-allow-origin: ${SHELL}`)
    const code = test.gateway.devices.newCode({ role: 'viewer' }).code
    const json = { ...FROM_SHELL, 'content-type': 'application/json' }
    const login = await send('/api/login', json, 'POST', JSON.stringify({ code, bearer: true }))
    expect(login?.status).toBe(200)
    const refused = await send('/api/sessions', FROM_SHELL)
    expect(refused?.status).toBe(401)
    expect(refused?.head).toContain(`access-control-allow-origin: ${SHELL}`)
  })

  it('opens streams by a ticket that it got with a token', async () => {
    for (const [path, more, status] of [
      ['/event', {}, 200],
      ['/api/stream', UPGRADE, 101],
    ] as const) {
      const headers = { ...FROM_SHELL, ...BEARER, 'content-type': 'application/json' }
      const { body } = (await send('/api/tickets', headers, 'POST', JSON.stringify({ path }))) ?? { body: '{}' }
      const { ticket } = JSON.parse(body) as { ticket: string }
      expect((await send(`${path}?ticket=${ticket}`, { ...FROM_SHELL, ...more }))?.status).toBe(status)
    }
  })

  it('T64 gets nowhere with the secret of a page, a cookie, or a ticket of a page', async () => {
    const browser = await test.credential({ role: 'owner' }, 'browser')
    expect((await send('/api/sessions', { ...FROM_SHELL, ...browser.headers }))?.status).toBe(403)
    const cookie = `holdpoint_${new URL(test.gateway.url).port}=${browser.secret}`
    expect((await send('/api/sessions', { ...FROM_SHELL, cookie }))?.status).toBe(401)
    const json = { ...browser.headers, 'content-type': 'application/json' }
    const { body } = (await send('/api/tickets', json, 'POST', '{"path":"/event"}')) ?? { body: '{}' }
    const { ticket } = JSON.parse(body) as { ticket: string }
    expect((await send(`/event?ticket=${ticket}`, FROM_SHELL))?.status).toBe(403)
  })
})

it.each(['https://evil.example', 'null', 'tauri://localhost.evil', 'http://app.example', 'https://app.example:444'])(
  'tells %s nothing',
  async (origin) => {
    for (const [headers, method] of [
      [{ origin, ...PREFLIGHT }, 'OPTIONS'],
      [{ origin, ...BEARER }, 'GET'],
    ] as const) {
      const reply = await send('/api/sessions', headers, method)
      expect(reply?.status).toBe(403)
      expect(reply?.head).not.toContain('access-control')
    }
  },
)

it('has no CORS at all unless it was told of an origin', async () => {
  await using plain = await startTestGateway()
  const headers = { ...FROM_SHELL, ...PREFLIGHT, ...BEARER }
  const reply = await sendRaw(plain.gateway.url, { method: 'OPTIONS', path: '/api/sessions', headers })
  expect(reply?.status).toBe(403)
  expect(reply?.head).not.toMatch(/access-control|vary/)
})
