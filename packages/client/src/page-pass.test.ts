import { createMemoryStore } from '@holdpoint/store/memory-store'
import { apiClient } from '@holdpoint/testing/api-client'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { createHttpTransport } from './http-transport.ts'
import type { PageLogin } from './page-login.ts'
import { createPagePass } from './page-pass.ts'

type Reply = (path: string, init: RequestInit) => Promise<Response>

/** A fetch that notes what is sent, and may be answered by somebody else. */
function listeningFetch() {
  const sent: { path: string; body: string }[] = []
  const caches = new Set<RequestCache | undefined>()
  let instead: Reply | undefined
  const send: typeof fetch = async (address, init = {}) => {
    const path = new URL(String(address)).pathname
    caches.add(init.cache)
    sent.push({ path, body: String(init.body) })
    return instead ? instead(path, init) : fetch(address, init)
  }
  return {
    fetch: send,
    sent,
    caches,
    answeredBy(reply: Reply | undefined) {
      instead = reply
    },
  }
}

async function logIn({ gateway }: TestGateway): Promise<PageLogin> {
  const [, code] = gateway.loginLink().split('#login=')
  const { device, ...rest } = await apiClient(gateway.url).ok<{
    device: { id: string }
    secret: string
    proofKey: string
  }>('POST', '/api/login', { code })
  return { device: device.id, ...rest }
}

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })

it('T64 tells its secret to nobody but the process that proved itself, and calls with a pass until that is lost', async () => {
  await using test = await startTestGateway()
  const heard = listeningFetch()
  const login = await logIn(test)
  const pass = createPagePass({ baseUrl: test.gateway.url, fetch: heard.fetch })
  const [one, two] = await Promise.all([pass.of(login), pass.of(login)])
  expect(one).toBe(two)
  expect(one).not.toContain(login.secret)
  expect(heard.sent.map(({ path }) => path)).toEqual(['/api/proofs', '/api/passes'])
  // Whoever gets the message in the gateway's place learns nothing that is good anywhere.
  expect(JSON.stringify(heard.sent)).not.toContain(login.secret)
  const message = JSON.parse(heard.sent[1]?.body ?? '') as object
  await using other = await startTestGateway()
  for (const [url, origin] of [
    [other.gateway.url, other.gateway.url],
    [test.gateway.url, 'http://127.0.0.1:1'],
  ] as const) {
    expect((await apiClient(url).call('POST', '/api/passes', message, { origin })).status).not.toBe(201)
  }
  pass.drop()
  expect(await pass.of(login)).toBe(one)
  expect(heard.sent.length).toBe(4)
  // Nothing that somebody has left in the browser's cache answers for the gateway.
  expect([...heard.caches]).toEqual(['no-store'])
  await test.gateway.devices.revoke(login.device as `dev_${string}`)
  pass.drop()
  // The gateway proves itself to a login that has ended as well: so the page knows that it has.
  expect(await pass.of(login)).toBeUndefined()
})

it('T64 sends nothing but the question to whoever cannot prove to be the gateway', async () => {
  await using test = await startTestGateway()
  await using other = await startTestGateway()
  const login = await logIn(test)
  const anotherProof = await apiClient(test.gateway.url).ok<object>('POST', '/api/proofs', {
    device: login.device,
    nonce: 'n'.repeat(43),
  })
  const strangers: Record<string, [Reply, string]> = {
    'another gateway': [(path, init) => fetch(other.gateway.url + path, init), 'not_the_gateway'],
    'a proof of another question': [async () => json(200, anotherProof), 'not_the_gateway'],
    'a key of its own beside a proof': [
      async (path, init) => {
        const said = await (await fetch(test.gateway.url + path, init)).json()
        return json(200, { ...said, key: `${said.key.slice(0, -4)}AAAA` })
      },
      'not_the_gateway',
    ],
    'no proof': [async () => json(200, {}), 'not_the_gateway'],
    'a proof that is none': [async () => json(200, { proof: 'yes' }), 'not_the_gateway'],
    'a page': [async () => new Response('<!doctype html>'), 'not_the_gateway'],
    'not found': [async () => json(404, { pass: 'x' }), 'not_the_gateway'],
    'who passes the question on to the gateway under its own address': [
      (path, init) =>
        fetch(test.gateway.url + path, { ...init, headers: { ...init.headers, origin: 'http://127.0.0.1:1' } }),
      'not_the_gateway',
    ],
    'a proxy without a gateway': [async () => new Response('bad gateway', { status: 502 }), 'unreachable'],
    nobody: [async () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
  }
  for (const [name, [reply, code]] of Object.entries(strangers)) {
    const heard = listeningFetch()
    heard.answeredBy(reply)
    const pass = createPagePass({ baseUrl: test.gateway.url, fetch: heard.fetch })
    await expect(pass.of(login), name).rejects.toMatchObject({ code })
    expect(
      heard.sent.map(({ path }) => path),
      name,
    ).toEqual(['/api/proofs'])
    heard.answeredBy(undefined)
    expect(await pass.of(login), name).toMatch(/^dev_/)
  }
  // A page of another port does not take this gateway for its own.
  const relayed = listeningFetch()
  relayed.answeredBy((path, init) => fetch(test.gateway.url + path, init))
  const elsewhere = createPagePass({ baseUrl: 'http://127.0.0.1:1', fetch: relayed.fetch })
  await expect(elsewhere.of(login)).rejects.toMatchObject({ code: 'not_the_gateway' })
})

it('T64 asks for a proof again after a failed call, and takes up a gateway that was started anew', async () => {
  const store = createMemoryStore()
  const first = await startTestGateway({ store })
  const heard = listeningFetch()
  const transport = createHttpTransport({ baseUrl: first.gateway.url, fetch: heard.fetch })
  const [, code] = first.gateway.loginLink().split('#login=')
  const login = await transport.call({ method: 'POST', path: '/api/login', body: { code } })
  expect(Object.keys(login.body as object)).toEqual(['device'])
  const me = { method: 'GET', path: '/api/me' } as const
  const paths = () => heard.sent.splice(0).map(({ path }) => path)
  expect((await transport.call(me)).status).toBe(200)
  expect((await transport.call(me)).status).toBe(200)
  expect(paths()).toEqual(['/api/login', '/api/proofs', '/api/passes', '/api/me', '/api/me'])

  heard.answeredBy(() => Promise.reject(new TypeError('fetch failed')))
  await expect(transport.call(me)).rejects.toMatchObject({ code: 'unreachable' })
  heard.answeredBy(async () => json(200, { device: {} }))
  await expect(transport.call(me)).rejects.toMatchObject({ code: 'not_the_gateway' })
  expect(paths()).toEqual(['/api/me', '/api/proofs'])
  heard.answeredBy(undefined)
  expect((await transport.call(me)).status).toBe(200)

  // Nothing failed in between that the page could have seen.
  await first.gateway.close()
  const port = Number(new URL(first.gateway.url).port)
  await using _ = await startTestGateway({ store, port, dataDir: first.dataDir })
  paths()
  expect((await transport.call(me)).status).toBe(200)
  expect(paths()).toEqual(['/api/me', '/api/proofs', '/api/passes', '/api/me'])
})
