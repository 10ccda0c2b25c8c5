import { randomBytes } from 'node:crypto'
import { type Records, StoreFault } from '@holdpoint/core/store'
import { idMaker } from '@holdpoint/schema/id'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { describe, expect, it } from 'vitest'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { createDevices, type Devices } from './devices.ts'
import { hashSecret } from './secrets.ts'

const HOUR = 60 * 60 * 1000

async function setUp(options: { records?: FollowedRecords; token?: string } = {}) {
  let at = 1_700_000_000_000
  let passed = 0
  const now = () => at
  const timers = new Set<() => void>()
  const records = options.records ?? createMemoryStore().records
  const make = () =>
    createDevices({
      records,
      clock: {
        now,
        monotonic: () => passed,
        after: (_ms, callback) => {
          timers.add(callback)
          return () => timers.delete(callback)
        },
      },
      newId: idMaker({ now, randomBytes }),
      ...(options.token && { token: options.token }),
    })
  const devices = await make()
  return {
    devices,
    records,
    restart: make,
    timers,
    /** Rings what was planned, and waits until that is done. */
    async ring() {
      for (const callback of [...timers]) {
        timers.delete(callback)
        callback()
      }
      await new Promise((resolve) => setImmediate(resolve))
    },
    pass: (ms: number) => {
      at += ms
      passed += ms
    },
    setClock: (ms: number) => {
      at += ms
    },
    async login(kind: 'browser' | 'bearer' = 'browser', role: 'owner' | 'viewer' = 'owner') {
      const redeemed = await devices.redeem(devices.newCode({ role }).code, { name: 'x', kind })
      if (!redeemed) throw new Error('not redeemed')
      return redeemed
    },
  }
}

const YEAR = 365 * 24 * HOUR

describe('F28 a clock that is set', () => {
  it.each([-HOUR, -10 * YEAR, HOUR, 10 * YEAR])('by %i ms lets no code live longer than five minutes', async (jump) => {
    const { devices, pass, setClock } = await setUp()
    const { code } = devices.newCode({ role: 'viewer' })
    setClock(jump)
    pass(5 * 60 * 1000)
    expect(await devices.redeem(code, { name: 'x', kind: 'bearer' })).toBeUndefined()
  })

  it.each([-HOUR, -10 * YEAR])('back by %i ms lets no browser stay longer than it may', async (jump) => {
    const { devices, login, pass, setClock, restart } = await setUp()
    const idle = await login()
    setClock(jump)
    pass(12 * HOUR)
    expect(devices.current(idle.device.id)).toBeUndefined()
    const busy = await login()
    setClock(jump)
    for (let hours = 0; hours < 7 * 24; hours += 11) {
      expect(devices.current(busy.device.id), `${hours} h`).toBeDefined()
      devices.use(busy.device.id)
      pass(11 * HOUR)
    }
    expect(devices.current(busy.device.id)).toBeUndefined()
    const kept = await login()
    setClock(jump)
    const after = await restart()
    expect(after.current(kept.device.id)).toBeDefined()
    pass(12 * HOUR)
    expect(after.current(kept.device.id)).toBeUndefined()
  })
})

describe('devices', () => {
  it('gives a code to one of two who try it at the same time', async () => {
    const { devices } = await setUp()
    const { code } = devices.newCode({ role: 'viewer' })
    const tries = await Promise.all([1, 2, 3].map(() => devices.redeem(code, { name: 'x', kind: 'bearer' })))
    expect(tries.filter(Boolean).length).toBe(1)
    expect(devices.list().length).toBe(1)
  })

  it('does not take a code that a credential made which is gone since', async () => {
    const { devices, login } = await setUp()
    const { device } = await login('bearer')
    const { code } = devices.newCode({ role: 'owner' }, device.id)
    await devices.revoke(device.id)
    expect(await devices.redeem(code, { name: 'back again', kind: 'bearer' })).toBeUndefined()
  })

  it('takes a code for five minutes', async () => {
    const { devices, pass } = await setUp()
    const { code } = devices.newCode({ role: 'viewer' })
    pass(5 * 60 * 1000)
    expect(await devices.redeem(code, { name: 'x', kind: 'bearer' })).toBeUndefined()
  })

  it('knows a credential again after a restart, and stores no secret', async () => {
    const { login, restart, records } = await setUp()
    const { secret, device } = await login()
    expect((await restart()).authenticate({ pageSecret: secret })).toMatchObject({ id: device.id, role: 'owner' })
    expect(JSON.stringify(await records.list('devices'))).not.toContain(secret)
  })

  it('T64 never takes a page’s secret for a token, nor a token for a page’s secret', async () => {
    const { devices, login } = await setUp()
    const page = await login()
    const program = await login('bearer')
    expect(devices.authenticate({ token: page.secret })).toBeUndefined()
    expect(devices.authenticate({ pageSecret: program.secret })).toBeUndefined()
  })

  it('T64 lets a browser that logged in by cookie in nowhere, and knows the cookie again while it would have lasted', async () => {
    const { records, restart, pass } = await setUp()
    const old = {
      id: 'dev_01m7feqrab8kg79ph3fsjdh813',
      name: 'Firefox',
      role: 'owner',
      createdAt: 1_700_000_000_000,
      lastSeenAt: 1_700_000_000_000,
      expiresAt: 1_700_000_000_000 + 7 * 24 * HOUR,
      secretHash: hashSecret('the-cookie'),
      kind: 'browser',
    }
    await records.put('devices', old.id, old)
    const devices = await restart()
    expect(devices.authenticate({ token: 'the-cookie' })).toBeUndefined()
    expect(devices.authenticate({ pageSecret: 'the-cookie' })).toBeUndefined()
    expect(devices.current('dev_01m7feqrab8kg79ph3fsjdh813')).toBeUndefined()
    expect(devices.list()).toEqual([])
    expect([devices.wasCookie('the-cookie'), devices.wasCookie('another')]).toEqual([true, false])
    pass(12 * HOUR)
    expect(devices.wasCookie('the-cookie')).toBe(false)
  })

  it('lets a browser idle out after 12 hours, keeps one in use up to 7 days, and keeps a program’s token', async () => {
    const { login, devices, pass } = await setUp()
    const idle = await login()
    const used = await login()
    const program = await login('bearer')
    for (let hours = 0; hours < 7 * 24 - 1; hours += 11) {
      pass(11 * HOUR)
      if (hours + 11 < 7 * 24) expect(devices.authenticate({ pageSecret: used.secret })).toBeDefined()
    }
    expect(devices.authenticate({ pageSecret: idle.secret })).toBeUndefined()
    pass(11 * HOUR)
    expect(devices.authenticate({ pageSecret: used.secret })).toBeUndefined()
    expect(devices.current(used.device.id)).toBeUndefined()
    expect(devices.authenticate({ token: program.secret })).toBeDefined()
    expect(devices.list().map(({ id }) => id)).toEqual([program.device.id])
  })

  it('T12 revokes at once, tells the streams, and stays revoked after a restart', async () => {
    const { login, devices, restart } = await setUp()
    const { secret, device } = await login()
    const told: string[] = []
    devices.onRevoked((id) => told.push(id))
    const revoking = devices.revoke(device.id)
    expect(devices.authenticate({ pageSecret: secret })).toBeUndefined()
    expect(told).toEqual([device.id])
    expect(await revoking).toBe('revoked')
    expect(await devices.revoke(device.id)).toBe('unknown')
    expect((await restart()).authenticate({ pageSecret: secret })).toBeUndefined()
  })

  describe('T12 on a disk that takes no write', () => {
    async function onFullDisk() {
      const { records } = createMemoryStore()
      const disk = { isFull: true }
      const flaky: Records = {
        ...records,
        remove: (...given) =>
          disk.isFull ? Promise.reject(new StoreFault('full', 'no space')) : records.remove(...given),
      }
      const test = await setUp({ records: flaky })
      const { secret, device } = await test.login()
      const told: string[] = []
      test.devices.onRevoked((id) => told.push(id))
      expect(await test.devices.revoke(device.id)).toBe('locked-out')
      expect(told).toEqual([device.id])
      const isIn = (devices: Devices) => devices.authenticate({ pageSecret: secret }) !== undefined
      expect(isIn(test.devices)).toBe(false)
      expect(test.devices.current(device.id)).toBeUndefined()
      expect(test.devices.list()).toEqual([{ ...device, revoking: true }])
      return { ...test, disk, device, isIn }
    }

    it('a revoke locks out at once, says that it is not on the disk, and is tried until it is', async () => {
      const { devices, device, disk, isIn, restart, ring, timers } = await onFullDisk()
      // As it is: only the disk can make it last, and the list says that it has not.
      expect(isIn(await restart())).toBe(true)
      for (let tries = 0; tries < 3; tries++) {
        await ring()
        expect(devices.list()).toEqual([{ ...device, revoking: true }])
      }
      disk.isFull = false
      await ring()
      expect(devices.list()).toEqual([])
      expect(isIn(await restart())).toBe(false)
      expect(timers.size).toBe(0)
    })

    it('a revoke can be told again', async () => {
      const { devices, device, disk, isIn, restart } = await onFullDisk()
      expect(await devices.revoke(device.id)).toBe('locked-out')
      disk.isFull = false
      expect(await devices.revoke(device.id)).toBe('revoked')
      expect(isIn(await restart())).toBe(false)
    })

    it('a revoke is tried once more at the end', async () => {
      const { devices, disk, isIn, restart, timers } = await onFullDisk()
      disk.isFull = false
      await devices.close()
      expect(timers.size).toBe(0)
      expect(isIn(await restart())).toBe(false)
    })
  })

  it('takes HOLDPOINT_TOKEN as an owner that is in the list, is stored nowhere, and cannot be revoked', async () => {
    const { devices, records } = await setUp({ token: 'the-token' })
    const device = devices.authenticate({ token: 'the-token' })
    expect(device).toMatchObject({ role: 'owner' })
    expect(devices.list()).toEqual([device])
    expect(await records.list('devices')).toEqual([])
    if (device) expect(await devices.revoke(device.id)).toBe('unknown')
    expect(devices.authenticate({ token: 'the-token' })).toBeDefined()
  })
})

describe('a name', () => {
  it('is changed for good, also when it is used meanwhile', async () => {
    const { devices, restart, login, pass } = await setUp()
    const { device, secret } = await login()
    const renaming = devices.rename(device.id, 'Phone of Ann')
    pass(HOUR)
    devices.authenticate({ pageSecret: secret })
    expect(await renaming).toMatchObject({ id: device.id, name: 'Phone of Ann' })
    expect((await restart()).current(device.id)).toMatchObject({ name: 'Phone of Ann' })
  })

  it('T12 brings no device back that was revoked meanwhile', async () => {
    const { devices, restart, login } = await setUp()
    const { device, secret } = await login()
    await Promise.all([devices.rename(device.id, 'Phone of Ann'), devices.revoke(device.id)])
    expect(devices.authenticate({ pageSecret: secret })).toBeUndefined()
    expect(await devices.rename(device.id, 'Back again')).toBeUndefined()
    expect((await restart()).list()).toEqual([])
  })

  it('stays as it was where it cannot be stored', async () => {
    const { records } = createMemoryStore()
    let isFull = false
    const put: Records['put'] = (...record) => {
      if (isFull) throw new StoreFault('full', 'disk full')
      return records.put(...record)
    }
    const { devices, login } = await setUp({ records: { ...records, put } })
    const { device } = await login()
    isFull = true
    await expect(devices.rename(device.id, 'Phone of Ann')).rejects.toThrow('disk full')
    expect(devices.current(device.id)).toMatchObject({ name: 'x' })
  })

  it('of the token of the environment stays, and the list says what it is', async () => {
    const { devices, login } = await setUp({ token: 'a token' })
    await login('browser')
    await login('bearer')
    const kinds = devices.list().map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(['bearer', 'browser', 'environment'])
    const token = devices.authenticate({ token: 'a token' })
    expect(token && (await devices.rename(token.id, 'Mine'))).toBeUndefined()
  })
})

describe('a pairing', () => {
  it('names the device that used its code, and no other', async () => {
    const { devices } = await setUp()
    const one = devices.newCode({ role: 'viewer' })
    const other = devices.newCode({ role: 'viewer' })
    expect(await devices.pairing(one.id)).toEqual({ expiresAt: one.expiresAt })
    const redeemed = await devices.redeem(one.code, { name: 'Phone', kind: 'browser' })
    expect(await devices.pairing(one.id)).toEqual({ expiresAt: one.expiresAt, device: redeemed?.device })
    expect((await devices.pairing(other.id))?.device).toBeUndefined()
  })

  it('is no code, and is forgotten when its code expires', async () => {
    const { devices, pass } = await setUp()
    const { id, code } = devices.newCode({ role: 'owner' })
    expect(await devices.redeem(id, { name: 'Thief', kind: 'browser' })).toBeUndefined()
    expect(await devices.pairing(code)).toBeUndefined()
    pass(HOUR)
    expect(await devices.pairing(id)).toBeUndefined()
  })
})

describe('codes and revocations of another gateway on the same log', () => {
  it.each(['before', 'after'])(
    '[I8] T12 gives nobody a device for the code of one that is revoked %s the device is there',
    async (when) => {
      const { records } = createMemoryStore()
      let meanwhile = async () => {}
      const put: Records['put'] = async (collection, ...record) => {
        if (collection === 'devices' && when === 'before') await meanwhile()
        await records.put(collection, ...record)
        if (collection === 'devices' && when === 'after') await meanwhile()
      }
      // Nobody tells it of changes: it has to look.
      const { devices: b } = await setUp({ records: { ...records, put, follow: () => {} } })
      const { device: owner } = await b.add({ role: 'owner' }, { name: 'x', kind: 'bearer' })
      const { code, isKept } = b.newCode({ role: 'owner' }, owner.id)
      await isKept
      const { devices: a } = await setUp({ records: { ...records, follow: () => {} } })
      meanwhile = async () => {
        meanwhile = async () => {}
        expect(await a.revoke(owner.id)).toBe('revoked')
      }
      expect(await b.redeem(code, { name: 'Back again', kind: 'bearer' })).toBeUndefined()
      expect(await records.list('devices')).toEqual([])
    },
  )
})
