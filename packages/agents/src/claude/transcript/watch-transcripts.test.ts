import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, realpath, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { seededRandom } from '@holdpoint/testing/seeded-random'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TranscriptUpdate, watchTranscripts } from './watch-transcripts.ts'

let root: string
let projects: string
let stop: AbortController
let closed: Promise<void>[]
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-watch-')))
  projects = join(root, 'projects')
  await mkdir(join(projects, '-work'), { recursive: true })
  stop = new AbortController()
  closed = []
})
afterEach(async () => {
  stop.abort()
  await Promise.all(closed)
  await rm(root, { recursive: true, force: true })
})

const line = (uuid: string) => `${JSON.stringify({ type: 'user', uuid, message: { content: uuid } })}\n`

/** What was told of each file, in order: entries by their uuid, `!` and why for a file read anew, `gone`. */
function listener() {
  const updates: TranscriptUpdate[] = []
  const faults: unknown[] = []
  return {
    updates,
    faults,
    onUpdate: (update: TranscriptUpdate) => void updates.push(update),
    onFault: (error: unknown) => void faults.push(error),
    told: (path: string) =>
      updates
        .filter((update) => update.path === path)
        .flatMap((update) => [
          ...(update.restart ? [`!${update.restart}`] : []),
          ...update.entries.map(({ uuid = '' }) => uuid),
          ...(update.isGone ? ['gone'] : []),
        ]),
  }
}

async function watching(path = projects, clock: Clock = createManualClock().clock) {
  const heard = listener()
  const watch = await watchTranscripts({ path, clock, signal: stop.signal, ...heard })
  closed.push(watch.closed)
  return {
    ...heard,
    watch,
    has: (file: string, ...wanted: string[]) =>
      until(
        () => heard.told(file).join() === wanted.join(),
        `${wanted} of ${file}, not ${heard.told(file)}`,
        20_000,
      ).catch(() => expect(heard.told(file)).toEqual(wanted)),
  }
}

const session = (name = 'one') => join(projects, '-work', `${name}.jsonl`)

describe('watching all transcripts', () => {
  it('tells what is written, not what was there before', async () => {
    await writeFile(session(), line('old'))
    const world = await watching()
    await appendFile(session(), line('a') + line('b'))
    await world.has(session(), 'a', 'b')
    expect(world.updates[0]).toMatchObject({ path: session(), sessionId: 'one' })
    expect(world.watch.files).toBe(1)
  })

  it('tells a line once, when it is whole', async () => {
    await writeFile(session(), line('old'))
    const world = await watching()
    const [first, second] = [line('a').slice(0, 10), line('a').slice(10)]
    await appendFile(session(), first)
    await appendFile(session(), second + line('b'))
    await world.has(session(), 'a', 'b')
  })

  it('finishes the line that was being written when it began', async () => {
    const [first, second] = [line('a').slice(0, 10), line('a').slice(10)]
    await writeFile(session(), line('old') + first)
    const world = await watching()
    await appendFile(session(), second)
    await world.has(session(), 'a')
  })

  it('reads new files, and files in new folders, from their start', async () => {
    const world = await watching()
    await writeFile(session('two'), line('a'))
    const other = join(projects, '-new-project', 'three.jsonl')
    await mkdir(dirname(other))
    await writeFile(other, line('b'))
    await appendFile(other, line('c'))
    await world.has(session('two'), 'a')
    await world.has(other, 'b', 'c')
  })

  it('begins when there is something to watch', async () => {
    await rm(projects, { recursive: true })
    const time = createManualClock()
    const world = await watching(projects, time.clock)
    await mkdir(join(projects, '-work'), { recursive: true })
    await writeFile(session(), line('a'))
    await until(() => {
      time.advance(2000)
      return world.told(session()).length > 0
    }, 'the first line')
    await appendFile(session(), line('b'))
    await world.has(session(), 'a', 'b')
  })

  it('tells of subagents, with the session and the call that they belong to', async () => {
    await writeFile(session(), line('old'))
    const world = await watching()
    const folder = join(projects, '-work', 'one', 'subagents')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'agent-a1.meta.json'), '{"toolUseId":"toolu_1"}')
    await writeFile(join(folder, 'agent-a1.jsonl'), line('a'))
    await world.has(join(folder, 'agent-a1.jsonl'), 'a')
    expect(world.updates[0]).toMatchObject({ sessionId: 'one', agentId: 'a1', subagent: 'toolu_1' })
  })

  it('does not look at other files', async () => {
    const world = await watching()
    await mkdir(join(projects, '-work', 'one', 'tool-results'), { recursive: true })
    await writeFile(join(projects, 'history.jsonl'), line('x'))
    await writeFile(join(projects, '-work', 'notes.txt'), line('x'))
    await writeFile(join(projects, '-work', 'one', 'tool-results', 'x.jsonl'), line('x'))
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    expect(world.watch.files).toBe(1)
  })

  it('passes garbage by', async () => {
    const world = await watching()
    await writeFile(session(), `not json\n${line('a')}\0\0\n{"half":\n${line('b')}`)
    await world.has(session(), 'a', 'b')
    expect(world.faults).toEqual([])
  })
})

describe('a file that changes under the watch', () => {
  it('cut: it is read anew', async () => {
    await writeFile(session(), '')
    const world = await watching()
    await appendFile(session(), line('a') + line('b'))
    await world.has(session(), 'a', 'b')
    await truncate(session(), line('a').length)
    await world.has(session(), 'a', 'b', '!truncated', 'a')
    await appendFile(session(), line('c'))
    await world.has(session(), 'a', 'b', '!truncated', 'a', 'c')
  })

  it('rotated: what takes its place is read from its start', async () => {
    const world = await watching()
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    await writeFile(join(projects, 'next'), line('b') + line('c'))
    await rename(join(projects, 'next'), session())
    await world.has(session(), 'a', '!replaced', 'b', 'c')
  })

  it('rewritten in place, longer than it was: it is read anew', async () => {
    const world = await watching()
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    await writeFile(join(projects, 'content'), line('x') + line('y') + line('z'))
    execFileSync('cp', [join(projects, 'content'), session()])
    await until(() => world.told(session()).join().endsWith('x,y,z'), 'the new lines')
    // Cut before it was written, or both before we looked.
    expect(world.told(session()).join()).toMatch(/^a,!(truncated|rewritten),x,y,z$/)
  })

  it('deleted and made again: it is told, and the new one is read from its start', async () => {
    const world = await watching()
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    await rm(session())
    await world.has(session(), 'a', 'gone')
    expect(world.watch.files).toBe(0)
    await writeFile(session(), line('b'))
    await world.has(session(), 'a', 'gone', 'b')
  })

  it('its folder deleted and made again: the same', async () => {
    const world = await watching()
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    await rm(dirname(session()), { recursive: true })
    await world.has(session(), 'a', 'gone')
    await mkdir(dirname(session()))
    await writeFile(session(), line('b'))
    await world.has(session(), 'a', 'gone', 'b')
  })

  it('the folder of all deleted and made again: the same', async () => {
    const time = createManualClock()
    const world = await watching(projects, time.clock)
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    await rm(projects, { recursive: true })
    await world.has(session(), 'a', 'gone')
    await mkdir(dirname(session()), { recursive: true })
    await writeFile(session(), line('b'))
    await until(() => {
      time.advance(16_000)
      return world.told(session()).at(-1) === 'b'
    }, 'the new line')
    await appendFile(session(), line('c'))
    await until(() => world.told(session()).at(-1) === 'c', 'the next line')
  })
})

describe('links', () => {
  it('are not followed, neither files nor folders, old or new', async () => {
    const outside = join(root, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret.jsonl'), line('secret'))
    await symlink(join(outside, 'secret.jsonl'), session('old-link'))
    await symlink(outside, join(projects, 'old-folder'))
    const world = await watching()
    await symlink(join(outside, 'secret.jsonl'), session('new-link'))
    await symlink(outside, join(projects, 'new-folder'))
    await appendFile(join(outside, 'secret.jsonl'), line('more'))
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    expect(world.updates.flatMap(({ entries }) => entries)).toHaveLength(1)
  })

  it('may lead to the folder itself', async () => {
    await symlink(projects, join(root, 'link'))
    const world = await watching(join(root, 'link'))
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
  })
})

describe('watching one file', () => {
  it('tells of it and its subagents alone, from before it is there', async () => {
    const world = await watching(session())
    await writeFile(session('two'), line('x'))
    await writeFile(session(), line('a'))
    const agent = join(projects, '-work', 'one', 'subagents', 'agent-a1.jsonl')
    const other = join(projects, '-work', 'two', 'subagents', 'agent-a2.jsonl')
    for (const path of [agent, other]) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, line('b'))
    }
    await world.has(session(), 'a')
    await world.has(agent, 'b')
    expect(new Set(world.updates.map(({ path }) => path))).toEqual(new Set([session(), agent]))
  })
})

describe('under load', () => {
  it('loses no line and tells none twice, written in pieces to many files at once', async () => {
    const world = await watching()
    const random = seededRandom(7)
    const names = Array.from({ length: 12 }, (_, index) => session(`s${index}`))
    const expected = new Map<string, string[]>()
    await Promise.all(
      names.map(async (path) => {
        const ids = Array.from({ length: 200 }, (_, index) => `n${index}`)
        expected.set(path, ids)
        let rest = Buffer.from(ids.map(line).join(''))
        while (rest.length > 0) {
          const cut = Math.ceil(random() * 400)
          await appendFile(path, rest.subarray(0, cut))
          rest = rest.subarray(cut)
        }
      }),
    )
    for (const [path, ids] of expected) await world.has(path, ...ids)
    expect(world.faults).toEqual([])
  })

  it('reads a file on only when what it told was taken in', async () => {
    const taken: number[] = []
    let isBusy = false
    const watch = await watchTranscripts({
      path: projects,
      clock: createManualClock().clock,
      signal: stop.signal,
      onFault: () => {},
      onUpdate: async ({ entries }) => {
        expect(isBusy).toBe(false)
        isBusy = true
        await new Promise((resolve) => setTimeout(resolve, 5))
        isBusy = false
        taken.push(entries.length)
      },
    })
    closed.push(watch.closed)
    await writeFile(session(), line('x'.repeat(1000)).repeat(2000))
    await until(() => taken.reduce((sum, count) => sum + count, 0) === 2000, 'every line')
    expect(taken.length).toBeGreaterThan(5)
  })

  it('a fault of the listener’s is told, and the next lines come', async () => {
    const heard = listener()
    let count = 0
    const watch = await watchTranscripts({
      path: projects,
      clock: createManualClock().clock,
      signal: stop.signal,
      onFault: heard.onFault,
      onUpdate: (update) => {
        if (count++ === 0) throw new Error('busy')
        heard.onUpdate(update)
      },
    })
    closed.push(watch.closed)
    await writeFile(session(), line('a'))
    await until(() => heard.faults.length > 0, 'the fault')
    await appendFile(session(), line('b'))
    await until(() => heard.told(session()).includes('b'), 'the next line')
  })
})

describe('closing', () => {
  it('ends the watch: nothing is told after', async () => {
    const world = await watching()
    await writeFile(session(), line('a'))
    await world.has(session(), 'a')
    stop.abort()
    await world.watch.closed
    const before = world.updates.length
    stop = new AbortController()
    const witness = await watching()
    await appendFile(session(), line('b'))
    await witness.has(session(), 'b')
    expect(world.updates).toHaveLength(before)
  })

  it('refuses to begin when it is over already', async () => {
    stop.abort()
    await expect(watching()).rejects.toThrow()
  })
})
