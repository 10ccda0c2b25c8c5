import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommitInDoubt, type StoreFault } from '@holdpoint/core/store'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { eventsOf, itemId, sampleAppend, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createPostgresStore } from './postgres-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
const disks: string[] = []
afterAll(async () => {
  await server.kill()
  for (const disk of disks) spawnSync('umount', [disk])
  await server[Symbol.asyncDispose]()
})

/** A small disk of the server's, or nothing where mounting is not allowed. */
function smallDisk(name: string, size: string) {
  const disk = join(server.folder, name)
  mkdirSync(disk)
  const { uid, gid } = statSync(server.folder)
  if (
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},uid=${uid},gid=${gid},mode=700`, 'tmpfs', disk]).status !== 0
  )
    return undefined
  disks.push(disk)
  const ballast = join(disk, 'ballast')
  return {
    disk,
    fill() {
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    },
    free: () => rmSync(ballast),
  }
}

/** A gateway that writes one message after the other, as large as told, and remembers what it heard of each. */
async function opened(address: string) {
  const store = await createPostgresStore({ address, node: 'a', version: '1', checkTimes: false })
  onTestFinished(() => store.close())
  await store.append([sampleAppend({ after: 0, events: [eventsOf(1).started()] })])
  const [told, refused]: [string[], string[]] = [[], []]
  let number = 0
  return {
    store,
    async write(size = 10): Promise<'written' | StoreFault> {
      const id = itemId(++number)
      const message = sampleMessage(number, { text: `${number}`.repeat(size) })
      const after = (await heads()).length + 1
      try {
        const [result] = await store.append([sampleAppend({ after, events: [eventsOf(1).added(message)] })])
        expect(result?.ok).toBe(true)
        told.push(id)
        return 'written'
      } catch (error) {
        if (!(error instanceof CommitInDoubt)) refused.push(id)
        return error as StoreFault
      }
    },
    told,
    refused,
    kept: heads,
  }
  async function heads() {
    const events = await store.events({ after: 0, limit: 1_000 })
    return events.flatMap(({ event }) => (event.type === 'item-added' ? [event.item.id as string] : []))
  }
}

it('F20 writes nothing while the disk of its tables is full, still reads, and goes on when there is room', async (context) => {
  const small = smallDisk('tables', '24m')
  if (!small) return context.skip('mounting a small disk is not allowed here')
  const address = await server.createDatabase()
  await server.sql(`CREATE TABLESPACE small LOCATION '${small.disk}'`)
  await server.sql(`ALTER DATABASE ${address.split('/').at(-1)} SET TABLESPACE small`)
  const { store, write, told, kept } = await opened(address)
  expect(await write()).toBe('written')
  small.fill()
  const fault = await until(async () => {
    const heard = await write(100_000)
    return heard !== 'written' && heard
  }, 'the disk to be full')
  expect(fault).toMatchObject({ name: 'StoreFault', code: 'full' })
  expect(fault.message).toMatch(/^The database's disk is full\. Free some space\./)
  expect(await write(100_000)).toMatchObject({ code: 'full' })
  expect(await kept()).toEqual(told)
  small.free()
  expect(await write(100_000)).toBe('written')
  expect(await kept()).toEqual(told)
  expect((await store.verify()).fault).toBeUndefined()
})

it('F20 F57 a full disk under the write-ahead log ends PostgreSQL, and what was told is there once it is back', async (context) => {
  const small = smallDisk('log', '48m')
  if (!small) return context.skip('mounting a small disk is not allowed here')
  const log = join(server.folder, 'data', 'pg_wal')
  await server.kill()
  expect(spawnSync('cp', ['-a', log, small.disk]).status).toBe(0)
  rmSync(log, { recursive: true })
  symlinkSync(join(small.disk, 'pg_wal'), log)
  await server.start()
  const address = await server.createDatabase()
  const { store, write, told, refused, kept } = await opened(address)
  expect(await write()).toBe('written')
  small.fill()
  // Soon the log needs another file, for which there is no room.
  let heard: ReturnType<typeof write>
  do {
    await server.sql('SELECT pg_switch_wal()').catch(() => {})
    heard = write()
  } while ((await Promise.race([heard.then((word) => word === 'written'), ended()])) === true)
  small.free()
  await server.kill()
  await server.start()
  expect(await heard).toMatchObject({ name: 'StoreFault', message: expect.stringMatching(/Nothing was written\.$/) })
  expect(await write()).toBe('written')
  expect(await kept()).toEqual(told)
  expect(refused.filter((id) => told.includes(id))).toEqual([])
  expect((await store.verify()).fault).toBeUndefined()
})

/** Resolves once PostgreSQL is gone, or going. */
const ended = () =>
  until(
    () =>
      server.sql('SELECT 1').then(
        () => false,
        () => 'ended' as const,
      ),
    'PostgreSQL to end',
  )
