import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import type { Device } from '@holdpoint/schema/device'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { apiClient } from './api-client.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { until } from './until.ts'

/** A disk of eight megabytes, or nothing where mounting is not allowed. */
function smallDisk() {
  const root = mkdtempSync(join(tmpdir(), 'hp-disk-'))
  const disk = join(root, 'disk')
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).status === 0
  return {
    root,
    disk,
    mounted,
    /** Room for more than the write-ahead file, which alone takes up a disk of eight. */
    grow: () => spawnSync('mount', ['-o', 'remount,size=32m', disk]),
    [Symbol.dispose]() {
      if (mounted) spawnSync('umount', ['-l', disk])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Fills the disk until nothing is recorded any more; gives back what to remove for room. */
async function fill(disk: string, gateway: GatewayProcess, sessionId: string) {
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballast, Buffer.alloc(bavail * bsize))
  // The write-ahead log has room inside itself for a while; then it is over.
  let refused = 0
  for (let tries = 0; tries < 500 && refused < 3; tries++) {
    const reply = await gateway.api.call('POST', `/api/sessions/${sessionId}/trust`)
    if (reply.status === 503) refused++
  }
  expect(refused).toBe(3)
  return ballast
}

it('[F20, I4] allows nothing on a full disk, loses nothing, and recovers by itself', async (context) => {
  using place = smallDisk()
  if (!place.mounted) return context.skip('mounting a small disk is not allowed here')
  const dataDir = join(place.disk, 'data')
  const notes = join(place.root, 'notes')
  mkdirSync(notes)
  const gateway = await startGatewayProcess({ dataDir, env: { SYNTHETIC_NOTES: notes, SYNTHETIC_OPEN: '2' } })
  try {
    const { id } = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: place.root })
    const [first, second] = await until(async () => {
      const asks = await gateway.api.openAsks(id)
      return asks.length === 2 && asks
    }, 'two asks')

    const ballast = await fill(place.disk, gateway, id)
    expect(await gateway.api.answer(first ?? expect.fail(), { kind: 'allow' })).toMatchObject({
      status: 503,
      body: { error: { code: 'store_unavailable' } },
    })
    expect((await gateway.api.openAsks(id)).map((ask) => ask.id)).toEqual([first?.id, second?.id])
    expect((await gateway.api.call('GET', '/api/health')).status).toBe(200)

    rmSync(ballast)
    place.grow()
    const reply = await until(async () => {
      const tried = await gateway.api.answer(first ?? expect.fail(), { kind: 'allow' })
      return tried.status !== 503 && tried
    }, 'the store to recover')
    expect(reply.status).toBe(200)
  } finally {
    expect(await gateway.stop()).toBe(0)
    await (await connectHost({ dataDir, hostMain: '' })).shutdown()
  }
})

it('[T12, F20] a device that is revoked on a full disk is out at once, and stays out once there is room', async (context) => {
  using place = smallDisk()
  if (!place.mounted) return context.skip('mounting a small disk is not allowed here')
  const dataDir = join(place.disk, 'data')
  let gateway = await startGatewayProcess({ dataDir, env: { SYNTHETIC_NOTES: place.root, SYNTHETIC_OPEN: '1' } })
  const session = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: place.root })
  const { code } = await gateway.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  const login = { code, name: 'lost', bearer: true }
  const { device, token } = await gateway.api.ok<{ device: Device; token: string }>('POST', '/api/login', login)
  const withIt = async () => (await apiClient(gateway.url, token).call('GET', '/api/asks')).status
  const listed = async () => {
    const { devices } = await gateway.api.ok<{ devices: Device[] }>('GET', '/api/devices')
    return devices.filter(({ id }) => id === device.id)
  }
  expect(await withIt()).toBe(200)
  await until(async () => (await gateway.api.openAsks(session.id)).length === 1, 'the agent')

  const ballast = await fill(place.disk, gateway, session.id)
  const reply = await gateway.api.call('DELETE', `/api/devices/${device.id}`)
  expect(reply).toMatchObject({ status: 503, body: { error: { message: expect.stringContaining('locked out') } } })
  expect(await withIt()).toBe(401)
  expect(await listed()).toMatchObject([{ revoking: true }])

  rmSync(ballast)
  place.grow()
  await until(async () => (await listed()).length === 0, 'the device to be gone')
  await (await connectHost({ dataDir, hostMain: '' })).shutdown()
  await gateway.kill9()
  gateway = await startGatewayProcess({ dataDir })
  expect(await withIt()).toBe(401)
  expect(await listed()).toEqual([])
  expect(await gateway.stop()).toBe(0)
})
