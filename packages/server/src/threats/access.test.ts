import { report } from '@holdpoint/testing/long'
import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { POLICY } from '../auth/policy.ts'
import { refusal } from '../transport/errors.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

it('T5 gives every route a policy, and nothing without a credential but health, login and static files', async () => {
  await using test = await startTestGateway()
  const { routes, url } = test.gateway
  const open: string[] = []
  let count = 0
  for (const route of routes) {
    expect(route.action === 'public' || route.action in POLICY, `${route.method} ${route.path}`).toBe(true)
    const path = route.path.replace(/:[A-Za-z]+/g, 'ses_00000000000000000000000000')
    const withBody = route.method === 'GET' ? {} : { headers: JSON_TYPE, body: '{}' }
    const reply = await sendRaw(url, { method: route.method, path, ...withBody })
    count++
    if (reply?.status !== 401) open.push(`${route.method} ${route.path} ${reply?.status}`)
    else if (!route.words) expect(JSON.parse(reply.body)).toMatchObject({ error: { code: 'unauthorized' } })
    else expect(JSON.parse(reply.body)).toMatchObject({ error: refusal('unauthorized').body.error.message })
  }
  expect(open.sort()).toEqual([
    'GET /api/health 200',
    'POST /api/login 422',
    // A token in the body says who calls, and about what (T58).
    'POST /api/notifications/answers 422',
    'POST /api/notifications/receipts 422',
    'POST /api/passes 422',
    'POST /api/proofs 422',
  ])
  report(`T5: ${count} routes without a credential`)
})

it('T5 does not tell unknown addresses and methods from known ones without a credential', async () => {
  await using test = await startTestGateway()
  const paths = [
    '/api',
    '/api/',
    '/api/unknown',
    '/admin',
    '/metrics/',
    '/.env',
    '/index.php',
    '/api/asks/%2e%2e/x',
    '*',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND']) {
      const reply = await sendRaw(test.gateway.url, { method, path })
      expect(reply?.status, `${method} ${path}`).toBe(401)
    }
  }
  for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
    expect((await sendRaw(test.gateway.url, { method, path: '/api/sessions' }))?.status, method).toBe(401)
  }
})

it('T5 serves the page itself to anybody, and says nothing in it', async () => {
  await using test = await startTestGateway()
  await test.session({ title: 'a session that is nobody else’s business' })
  const page = await sendRaw(test.gateway.url, { path: '/' })
  expect(page?.status).toBe(200)
  expect(page?.body).not.toContain('business')
  expect(page?.head).toContain("frame-ancestors 'none'")
  expect(page?.head).toContain('nosniff')
})

it('answers health with a bare ok', async () => {
  await using test = await startTestGateway()
  const reply = await sendRaw(test.gateway.url, { path: '/api/health' })
  expect(reply?.body).toBe('{"status":"ok"}')
})

it('says which methods do not fit and what does not exist, to those with a credential', async () => {
  await using test = await startTestGateway()
  expect(await test.api.call('PUT', '/api/sessions')).toMatchObject({
    status: 405,
    body: { error: { code: 'method_not_allowed' } },
  })
  expect(await test.api.call('GET', '/api/nothing')).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  })
  expect((await test.api.call('GET', '/api/asks/not-an-id')).status).toBe(404)
  expect((await test.api.call('GET', '/api/sessions/ses_%00')).status).toBe(404)
})
