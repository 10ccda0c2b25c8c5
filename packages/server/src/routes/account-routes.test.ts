import { apiClient } from '@holdpoint/testing/api-client'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../system/version.ts'

describe('GET /api/me', () => {
  it('says which credential this is and what it is connected to', async () => {
    await using test = await startTestGateway()
    for (const role of ['owner', 'approver', 'viewer', 'raiser'] as const) {
      const { api, device, secret } = await test.credential({ role })
      const reply = await api.call<{ device: object }>('GET', '/api/me')
      expect(reply).toMatchObject({
        status: 200,
        body: {
          device: { id: device.id, role },
          version: VERSION,
          agents: ['synthetic'],
          publicUrl: test.gateway.url,
        },
      })
      expect(Object.keys(reply.body.device)).not.toContain('secretHash')
      expect(JSON.stringify(reply.body)).not.toContain(secret)
    }
  })
})

describe('POST /api/logout', () => {
  it('T12 revokes the browser that asks: its secret, its streams, nobody else’s', async () => {
    await using test = await startTestGateway()
    const leaving = await test.credential({ role: 'owner' }, 'browser')
    const staying = await test.credential({ role: 'owner' })
    const stream = await openStream(test.gateway.url, { ...leaving.headers, origin: test.gateway.url })
    const call = (method: string, path: string) => leaving.api.call(method, path, undefined, leaving.headers)
    expect((await call('GET', '/api/me')).status).toBe(200)

    const reply = await call('POST', '/api/logout')
    expect(reply.status).toBe(204)
    expect((await call('GET', '/api/me')).status).toBe(401)
    await stream.closed
    expect((await staying.api.call('GET', '/api/me')).status).toBe(200)
    const { devices } = await test.api.ok<{ devices: { id: string }[] }>('GET', '/api/devices')
    const ids = devices.map(({ id }) => id)
    expect(ids).toContain(staying.device.id)
    expect(ids).not.toContain(leaving.device.id)
  })

  it('cannot take back the token that the environment gave', async () => {
    await using test = await startTestGateway()
    const api = apiClient(test.gateway.url, TEST_TOKEN)
    expect(await api.call('POST', '/api/logout')).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    expect((await api.call('GET', '/api/me')).status).toBe(200)
  })
})

describe('POST /api/devices/:id', () => {
  it('lets an owner rename any device and others their own; raisers keep the name that cards show', async () => {
    await using test = await startTestGateway()
    const { device, api } = await test.credential({ role: 'approver' })
    const raiser = await test.credential({ role: 'raiser' })
    const rename = (by: typeof api, id: string, name = 'Phone of Ann') =>
      by.call('POST', `/api/devices/${id}`, { name })
    expect(await rename(test.api, device.id)).toMatchObject({ status: 200, body: { name: 'Phone of Ann' } })
    expect(await rename(api, device.id, ' My phone ')).toMatchObject({ status: 200, body: { name: 'My phone' } })
    expect(await rename(api, raiser.device.id)).toMatchObject({ status: 404 })
    expect(await rename(raiser.api, raiser.device.id)).toMatchObject({ status: 403 })
    expect(await rename(test.api, raiser.device.id)).toMatchObject({ status: 200 })
    for (const name of ['', '  ', 'x'.repeat(121)]) {
      expect(await rename(api, device.id, name)).toMatchObject({ status: 422 })
    }
  })

  it('T5 gives an owner of some sessions no other device', async () => {
    await using test = await startTestGateway()
    const { session } = await test.session()
    const some = await test.credential({ role: 'owner', sessionIds: [session.id] })
    const other = await test.credential({ role: 'viewer' })
    const reply = await some.api.call('POST', `/api/devices/${other.device.id}`, { name: 'Mine' })
    expect(reply.status).toBe(404)
  })
})

describe('GET /api/pairings/:id', () => {
  it('tells owners, and nobody else, which device used the code', async () => {
    await using test = await startTestGateway()
    const { id, code } = await test.api.ok<{ id: string; code: string }>('POST', '/api/pairings', { role: 'viewer' })
    const read = () => test.api.ok<{ device?: { name: string } }>('GET', `/api/pairings/${id}`)
    expect((await read()).device).toBeUndefined()
    await test.api.ok('POST', '/api/login', { code, name: 'Phone', bearer: true })
    expect((await read()).device).toMatchObject({ name: 'Phone', role: 'viewer', kind: 'bearer' })
    const viewer = await test.credential({ role: 'viewer' })
    expect((await viewer.api.call('GET', `/api/pairings/${id}`)).status).toBe(403)
    expect((await test.api.call('GET', '/api/pairings/unknown')).status).toBe(404)
  })
})
