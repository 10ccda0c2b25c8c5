import { createGatewayClient } from '@holdpoint/client/create-gateway-client'
import type { Device } from '@holdpoint/schema/device'
import { apiClient } from '@holdpoint/testing/api-client'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'

vi.mock(import('@holdpoint/server/direct/direct-endpoint'), { spy: true })
// Loaded anew, here and by whoever comes next in the same process: files before this one may have loaded the true one.
vi.resetModules()
const { createDirectEndpoint } = await import('@holdpoint/server/direct/direct-endpoint')
const { createHoldpoint } = await import('./create-holdpoint.ts')
const { startEmbedding, useTool } = await import('./fixtures/embedding.ts')
afterAll(() => {
  vi.doUnmock('@holdpoint/server/direct/direct-endpoint')
  vi.resetModules()
})
beforeEach(() => {
  vi.clearAllMocks()
})

const TOKEN = 'a-token-for-tests-0123456789abcdef0123456789'

describe('a folder', () => {
  it('[F27] belongs to one program at a time, and the other is told whose it is', async () => {
    await using embedding = await startEmbedding()
    await expect(embedding.open()).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`process ${process.pid}`),
    })
    // The first one is none the worse for it.
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    await session.ready
    await embedding.again()
  })

  it('keeps one credential for the program, however often it starts', async () => {
    await using embedding = await startEmbedding()
    await embedding.again()
    await embedding.again()
    const { body } = await embedding.call<{ devices: Device[] }>('GET', '/api/devices')
    expect(body.devices).toMatchObject([{ name: 'The program itself', role: 'owner' }])
  })
})

describe('without a port', () => {
  it('serves a user interface in the same process', async () => {
    await using embedding = await startEmbedding()
    const client = createGatewayClient({ transport: embedding.holdpoint.transport() })
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    const ask = await until(() => client.getState().asks[0], 'the ask')
    expect(await client.answer(ask, { kind: 'allow', digest: ask.digest })).toMatchObject({ ok: true })
    expect(await deciding).toMatchObject({ behavior: 'allow' })
    client.close()
    // Each would listen for as long as the program lives.
    for (let count = 0; count < 3; count++) embedding.holdpoint.transport()
    expect(createDirectEndpoint).toHaveBeenCalledTimes(1)
    expect(() => embedding.holdpoint.loginLink()).toThrow(expect.objectContaining({ code: 'not-listening' }))
  })
})

describe('with a port', () => {
  it('serves the app, the API and the dialects, to those who have a credential', async () => {
    await using embedding = await startEmbedding({ token: TOKEN })
    const { url, loginLink } = await embedding.holdpoint.listen({ port: 0 })
    expect(await (await fetch(url)).text()).toContain('<div id="root">')
    expect((await apiClient(url).call('GET', '/api/asks')).status).toBe(401)
    const code = loginLink.split('#login=')[1]
    expect((await apiClient(url).call('POST', '/api/login', { code })).status).toBe(200)
    expect((await apiClient(url).call('POST', '/api/login', { code })).status).toBe(401)
    expect(embedding.holdpoint.loginLink()).not.toBe(loginLink)

    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    const ask = await embedding.ask(session)
    const api = apiClient(url, TOKEN)
    expect(await api.ok('GET', '/api/me')).toMatchObject({ agents: [] })
    expect(await api.ok('GET', '/permission/pending')).toMatchObject({ requests: [{ id: ask.id }] })
    await api.answer(ask, { kind: 'allow' })
    expect(await deciding).toMatchObject({ behavior: 'allow' })
  })

  it('T7 opens no address to other machines without TLS, and takes another port when one is taken', async () => {
    await using embedding = await startEmbedding()
    await using other = await startEmbedding()
    await expect(embedding.holdpoint.listen({ host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
      code: 'open-address',
    })
    // Nor does it send people to a name that somebody else can answer to (T64).
    await expect(embedding.holdpoint.listen({ port: 0, publicUrl: 'http://localhost:1' })).rejects.toMatchObject({
      code: 'open-address',
    })
    const { url } = await other.holdpoint.listen({ port: 0 })
    const port = Number(new URL(url).port)
    await expect(embedding.holdpoint.listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect((await embedding.holdpoint.listen({ port: 0 })).url).not.toBe(url)
  })

  it('gives its port back when it is closed while it begins to listen, and listens once', async () => {
    await using other = await startEmbedding()
    const { url } = await other.holdpoint.listen({ port: 0 })
    const port = Number(new URL(url).port)
    await other.again()
    const listening = other.holdpoint.listen({ port })
    const twice = other.holdpoint.listen({ port: 0 })
    const told = expect(listening).rejects.toMatchObject({ code: 'closed' })
    const refused = expect(twice).rejects.toThrow()
    const after = await other.again()
    await told
    await refused
    expect((await after.listen({ port })).url).toBe(url)
    await expect(after.listen({ port: 0 })).rejects.toThrow('already listening')
  })

  it('takes no token that could be guessed', async () => {
    await using embedding = await startEmbedding()
    await expect(createHoldpoint({ data: embedding.data, token: 'short' })).rejects.toMatchObject({ code: 'bad-token' })
  })
})
