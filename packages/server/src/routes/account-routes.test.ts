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
