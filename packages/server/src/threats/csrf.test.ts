import type { Session } from '@holdpoint/schema/session'
import { report } from '@holdpoint/testing/long'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { everyUnsafeCall, somethingForEveryRoute } from '@holdpoint/testing/unsafe-calls'
import { expect, it } from 'vitest'

const CROSS_SITE = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
const MARKER = { 'x-holdpoint': '1' }
const FORM = 'application/x-www-form-urlencoded'

/** What the browser of this credential would send by itself, had its login given it a cookie with all of its secret. */
function cookieOf(url: string, credential: Readonly<Record<string, string>>) {
  return { cookie: `holdpoint_${new URL(url).port}=${credential['x-holdpoint-secret']}` }
}

it('T4 lets no form, fetch or link of another page do anything with what a browser sends by itself', async () => {
  const shared = createMemoryCluster()
  const here = shared.node('here')
  const lost = shared.node('lost').cluster
  shared.reach(lost.node, false)
  await using test = await startTestGateway({ ...here, notifyAllow: ['127.0.0.1:9'] })
  const { devices, routes, url } = test.gateway
  const at = await somethingForEveryRoute(test, 'browser')
  const calls = everyUnsafeCall(at, test.dataDir)
  const unsafe = routes.filter((route) => route.method !== 'GET' && route.action !== 'public')
  expect(Object.keys(calls).sort()).toEqual(unsafe.map((route) => `${route.method} ${route.path}`).sort())

  const state = async () => ({
    events: await test.events(),
    devices: devices.list().length,
    attachments: (await test.store.records.list('attachments')).length,
    typed: test.terminals.typed(at.terminal.id),
    machines: here.cluster.nodes().map(({ name }) => name),
    trusted: await test.store.records.list('trusted-folders'),
    rules: await test.store.records.list('policy-rules'),
    limits: await test.store.records.list('time-limits'),
    notices: [
      ...(await test.store.records.list('push-subscriptions')),
      ...(await test.store.records.list('notice-channels')),
    ],
    session: (await test.api.ok<Session>('GET', `/api/sessions/${at.session.id}`)).stateChangedAt,
  })
  const before = await state()
  let count = 0
  for (const [name, { method, path, body, credential }] of Object.entries(calls)) {
    const json = body === undefined ? '' : JSON.stringify(body)
    const attempts: Record<string, { method: string; path: string; headers: Record<string, string>; body?: string }> = {
      form: { method: 'POST', path, headers: { ...CROSS_SITE, 'content-type': FORM }, body: `body=${json}` },
      'form without Origin': { method: 'POST', path, headers: { 'content-type': FORM }, body: json || 'x=1' },
      'text/plain': {
        method: 'POST',
        path,
        headers: { ...CROSS_SITE, 'content-type': 'text/plain' },
        body: json || ' ',
      },
      'text/plain without Origin': { method, path, headers: { 'content-type': 'text/plain' }, body: json || ' ' },
      'no-cors fetch': { method, path, headers: CROSS_SITE },
      'JSON with a foreign Origin and the marker': {
        method,
        path,
        headers: { ...CROSS_SITE, ...MARKER, 'content-type': 'application/json' },
        body: json,
      },
      'JSON without the marker': { method, path, headers: { 'content-type': 'application/json' }, body: json },
      'no body, no marker': { method, path, headers: {} },
      GET: { method: 'GET', path, headers: {} },
      HEAD: { method: 'HEAD', path, headers: {} },
      'method override in a header': {
        method: 'GET',
        path,
        headers: { 'x-http-method-override': method, 'x-method-override': method, 'x-http-method': method, ...MARKER },
      },
      'method override in the address': { method: 'GET', path: `${path}?_method=${method}`, headers: MARKER },
      'method override in a form': {
        method: 'POST',
        path,
        headers: { 'content-type': FORM },
        body: `_method=${method}&body=${encodeURIComponent(json)}`,
      },
    }
    for (const [how, attempt] of Object.entries(attempts)) {
      count++
      const reply = await sendRaw(url, { ...attempt, headers: { ...cookieOf(url, credential), ...attempt.headers } })
      const status = reply?.status ?? 0
      expect(status, `${how}: ${name}`).toBeGreaterThanOrEqual(400)
      expect(reply?.head).not.toContain('access-control')
    }
  }
  expect(await state()).toEqual(before)
  report(`T4: ${count} foreign requests on ${unsafe.length} routes, no effect`)

  // The same calls do work from our own page: the refusals above are not for another reason.
  const own = { ...MARKER, origin: url, 'sec-fetch-site': 'same-origin' }
  // These two end the agent's life, and with it the rule that another call removes.
  const last = ['DELETE /api/sessions/:id/trust', 'DELETE /api/sessions/:id']
  const inOrder = Object.entries(calls).sort(([a], [b]) => last.indexOf(a) - last.indexOf(b))
  for (const [name, { method, path, body, credential }] of inOrder) {
    const type = name.includes('attachments') ? 'text/plain' : 'application/json'
    const headers = { ...credential, ...own, ...(body !== undefined && { 'content-type': type }) }
    const reply = await sendRaw(url, { method, path, headers, body: body === undefined ? '' : JSON.stringify(body) })
    // One of the two ways to answer the ask comes too late.
    expect([200, 201, 202, 204, 409], `${name}: ${reply?.body}`).toContain(reply?.status)
  }
})
