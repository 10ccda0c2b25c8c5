import type { Device } from '@holdpoint/schema/device'
import { describe, expect, it } from 'vitest'
import { LONG, TIMEOUT_MS } from '../long.ts'
import { openStream } from '../stream-client.ts'
import type { TestGateway } from '../test-gateway.ts'
import { type SharedWorld, twoGateways } from './two-gateways.ts'

const RACES = LONG ? 500 : 24
const SOON = { interval: 5 }

/** What holds of devices, codes and tokens where several gateways share a log. */
export function devicesContract(name: string, world: () => Promise<SharedWorld>) {
  describe(`devices of several gateways, ${name}`, () => {
    it('[I8] T12 one that is revoked at one is out at all, and its streams end there within a second', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const { device, secret, headers } = await a.credential({ role: 'approver' })
      await expect.poll(() => b.gateway.devices.authenticate({ token: secret }), SOON).toMatchObject({ id: device.id })
      const stream = await openStream(b.gateway.url, headers)
      stream.send({ type: 'subscribe' })
      await expect.poll(() => b.gateway.fanOut.size(), SOON).toBe(1)
      const began = performance.now()
      expect(await a.gateway.devices.revoke(device.id)).toBe('revoked')
      await stream.closed
      expect(performance.now() - began).toBeLessThan(1000)
      expect(b.gateway.devices.authenticate({ token: secret })).toBeUndefined()
      expect(b.gateway.devices.current(device.id)).toBeUndefined()
      expect(b.gateway.devices.list().map(({ id }) => id)).not.toContain(device.id)
    })

    it('have one name, and one time when they were last used', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const { device, secret } = await a.credential({ role: 'viewer' })
      await expect.poll(() => b.gateway.devices.knows(device.id), SOON).toBe(true)
      await b.gateway.devices.rename(device.id, 'Phone of Ann')
      await expect.poll(() => a.gateway.devices.current(device.id)?.name, SOON).toBe('Phone of Ann')
      while (Date.now() <= device.lastSeenAt) await new Promise((resolve) => setImmediate(resolve))
      b.gateway.devices.authenticate({ token: secret })
      await expect.poll(() => a.gateway.devices.current(device.id)?.lastSeenAt, SOON).toBeGreaterThan(device.lastSeenAt)
    })

    it('[I8] T12 one that is used or renamed at one while it is revoked at the other does not come back', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      for (let round = 0; round < 10; round++) {
        const { device, secret } = await a.credential({ role: 'owner' })
        await expect.poll(() => b.gateway.devices.knows(device.id), SOON).toBe(true)
        b.gateway.devices.authenticate({ token: secret })
        await Promise.all([b.gateway.devices.rename(device.id, 'Mine'), a.gateway.devices.revoke(device.id)])
        await expect.poll(() => b.gateway.devices.knows(device.id), SOON).toBe(false)
        expect(a.gateway.devices.knows(device.id)).toBe(false)
      }
      expect(await people(a)).toEqual([])
    })

    it('[I8] T12 no answer counts at one once its device is revoked at the other', {
      timeout: TIMEOUT_MS,
    }, async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const { agent } = await b.session()
      const outcomes = { counted: 0, refused: 0 }
      for (let round = 0; round < RACES; round++) {
        const { device, api } = await a.credential({ role: 'approver' })
        await expect.poll(() => b.gateway.devices.knows(device.id), SOON).toBe(true)
        const { ask } = await b.openAsk(agent, { requestId: `race-${round}`, context: {} })
        const atB = b.gateway.direct(device.id)
        const path = `/api/asks/${ask.id}/answer`
        const body = Buffer.from(JSON.stringify({ kind: 'deny', digest: ask.digest }))
        const pause = () => new Promise((resolve) => setTimeout(resolve, (round % 7) / 2))
        const signal = AbortSignal.timeout(10_000)
        const answering = pause().then(() =>
          atB.call({ method: 'POST', path, contentType: 'application/json', body, signal }),
        )
        await a.gateway.devices.revoke(device.id)
        const last = await a.store.lastSeq()
        const { status } = await answering
        const settled = (await a.store.events({ after: 0, limit: 100_000 })).find(
          ({ event }) => event.type === 'ask-settled' && event.askId === ask.id,
        )
        expect(settled === undefined).toBe(status !== 200)
        if (settled) expect(settled.seq).toBeLessThanOrEqual(last)
        outcomes[settled ? 'counted' : 'refused']++
        expect((await api.call('GET', '/api/me')).status).toBe(401)
        if (!settled) await b.api.ok('POST', path, { kind: 'deny', digest: ask.digest })
      }
      expect(outcomes.counted + outcomes.refused).toBe(RACES)
    })

    describe('a code that was made at one', () => {
      it('is good for one login, at whichever gateway, and the one that made it hears of it', async () => {
        await using two = await twoGateways(world)
        const { a, b } = two
        const { id, code, isKept } = a.gateway.devices.newCode({ role: 'viewer' })
        await isKept
        expect(await b.gateway.devices.pairing(id)).toMatchObject({ expiresAt: expect.any(Number) })
        const as = { name: 'Phone', kind: 'bearer' } as const
        const tries = await Promise.all([a, b, a, b, b].map(({ gateway }) => gateway.devices.redeem(code, as)))
        const [won, ...more] = tries.flatMap((redeemed) => redeemed ?? [])
        expect(more).toEqual([])
        expect(await a.gateway.devices.pairing(id)).toMatchObject({ device: { id: won?.device.id } })
        for (const { gateway } of [a, b])
          await expect
            .poll(() => gateway.devices.authenticate({ token: won?.secret ?? '' }), SOON)
            .toMatchObject({ name: 'Phone', role: 'viewer' })
        expect((await people(a)).length).toBe(1)
      })

      it('[I8] T12 is good for nothing once the device that made it is revoked, nor is what it was traded for then', async () => {
        await using two = await twoGateways(world)
        const { a, b } = two
        for (let round = 0; round < 10; round++) {
          const owner = await a.credential({ role: 'owner' })
          const { code, isKept } = a.gateway.devices.newCode({ role: 'owner' }, owner.device.id)
          await isKept
          await expect.poll(() => b.gateway.devices.knows(owner.device.id), SOON).toBe(true)
          const redeeming = b.gateway.devices.redeem(code, { name: 'Back again', kind: 'bearer' })
          await a.gateway.devices.revoke(owner.device.id)
          const redeemed = await redeeming
          // Whoever was first: a login that came before the revocation is a device of its own.
          const left = (await people(a)).length
          expect(left).toBe(redeemed ? 1 : 0)
          if (redeemed) await a.gateway.devices.revoke(redeemed.device.id)
        }
      })
    })

    it('the token of one gateway counts at the other for what is handed on to it, and opens nothing there', async () => {
      await using two = await twoGateways(world, { forB: { token: undefined as never } })
      const { a, b, nodeB } = two
      const started = await a.api.call('POST', '/api/sessions', { agent: 'synthetic', cwd: b.dataDir, node: nodeB })
      expect(started).toMatchObject({ status: 201, body: { node: nodeB } })
      expect((await b.api.call('GET', '/api/me')).status).toBe(401)
    })
  })
}

/** Without what each machine has for its own terminals. */
async function people({ store }: TestGateway): Promise<unknown[]> {
  const devices = await store.records.list('devices')
  return devices.filter(({ value }) => !(value as Device).name.startsWith('Terminals on '))
}
