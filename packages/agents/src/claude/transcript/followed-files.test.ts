import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStillClock } from '@holdpoint/testing/terminal/recorded/still-clock'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFollowedFiles, type FileNews } from './followed-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-followed-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const line = (uuid: string) => `${JSON.stringify({ type: 'user', uuid })}\n`

function followed(onGone = async () => {}) {
  const time = createStillClock()
  const told: string[] = []
  const stop = new AbortController()
  const files = createFollowedFiles({
    clock: time.clock,
    signal: stop.signal,
    emit: async (_, { entries, isGone }: FileNews) => {
      told.push(...entries.map(({ uuid = '' }) => uuid), ...(isGone ? ['gone'] : []))
      if (isGone) await onGone()
    },
    onFault: (error) => told.push(String(error)),
  })
  const file = { path: join(folder, 'one.jsonl'), below: ['-work', 'one.jsonl'] }
  const has = (...wanted: string[]) => until(() => told.join() === wanted.join(), `${wanted}, not ${told}`)
  const close = async () => {
    stop.abort()
    files.close()
    await files.whenIdle()
  }
  return { time, told, files, file, has, [Symbol.asyncDispose]: close }
}

describe('what no event tells of', () => {
  it('is found by a last look shortly after the last event', async () => {
    await using world = followed()
    const { files, file } = world
    await writeFile(file.path, line('a'))
    files.changed(file)
    await files.whenIdle()
    await appendFile(file.path, line('b'))
    world.time.moveTo(119)
    await files.whenIdle()
    expect(world.told).toEqual(['a'])
    world.time.moveTo(120)
    await world.has('a', 'b')
  })

  it('is found by a last look also when the event came before any byte did', async () => {
    await using world = followed()
    const { files, file } = world
    await writeFile(file.path, '')
    await files.found([file], true)
    files.changed(file)
    // Until that look is over.
    await files.whenIdle()
    await appendFile(file.path, line('a'))
    world.time.moveTo(120)
    await world.has('a')
  })

  it('is found in files that changed lately, and only in those', async () => {
    await using world = followed()
    const { files, file } = world
    await writeFile(file.path, line('a'))
    files.changed(file)
    await world.has('a')
    await files.whenIdle()
    await appendFile(file.path, line('b'))
    await files.checkLive()
    await world.has('a', 'b')
    await files.whenIdle()
    world.time.moveTo(120)
    await files.whenIdle()
    world.time.moveTo(11 * 60_000)
    await appendFile(file.path, line('c'))
    await files.checkLive()
    await files.whenIdle()
    expect(world.told).toEqual(['a', 'b'])
  })

  it('is found when the folder is listed again', async () => {
    await using world = followed()
    const { files, file } = world
    await writeFile(file.path, line('old'))
    await files.found([file], true)
    await files.found([file], false)
    await appendFile(file.path, line('a'))
    await files.found([file], false)
    await world.has('a')
  })

  it('is found to be gone', async () => {
    await using world = followed()
    const { files, file } = world
    await writeFile(file.path, line('a'))
    files.changed(file)
    await world.has('a')
    await rm(file.path)
    await files.checkLive()
    await world.has('a', 'gone')
    expect(files.size).toBe(0)
  })
})

describe('a file that is made again', () => {
  it('is read once, also when it comes while its end is being told and events of that are still to come', async () => {
    await using world: ReturnType<typeof followed> = followed(async () => {
      await writeFile(world.file.path, line('b'))
      world.files.changed(world.file)
    })
    const { files, file } = world
    await writeFile(file.path, line('a'))
    files.changed(file)
    await world.has('a')
    await files.whenIdle()
    await rm(file.path)
    // One event for the name and one for the file.
    files.changed(file)
    files.changed(file)
    await files.whenIdle()
    expect(world.told).toEqual(['a', 'gone', 'b'])
    expect(files.size).toBe(1)
    await appendFile(file.path, line('c'))
    files.changed(file)
    await world.has('a', 'gone', 'b', 'c')
  })
})
