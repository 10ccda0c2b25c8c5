import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MARKER } from '@holdpoint/schema/endpoints/terminals'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { holdsLines } from '../../terminal/pty-helper.ts'
import { findByMarker } from './find-by-marker.ts'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { markerMessage, newMarker } from './marker.ts'

let projects: string
beforeEach(async () => {
  projects = await mkdtemp(join(tmpdir(), 'holdpoint-marker-'))
  await mkdir(join(projects, '-code-project'))
})
afterEach(() => rm(projects, { recursive: true, force: true }))

const EMPTY = recordedScreen('idle')
const withText = (text: string, screen = EMPTY) => screen.map((line) => (/^❯/.test(line) ? `❯ ${text}` : line))

/** A terminal in which Claude Code waits, and that writes down what it is sent. */
function world({ screen = EMPTY, writes = true } = {}) {
  const { clock, advance } = createManualClock()
  const over = new AbortController()
  const marker = newMarker()
  const typed: string[] = []
  const state = {
    screen,
    idleMs: 60_000,
    takes: true,
    /** With every step of the clock. */
    onTick: () => {},
    /** When these keys have reached the program. */
    onTyped: (_keys: string) => {},
  }
  let text = ''
  const terminal = {
    get idleMs() {
      return state.idleMs
    },
    async typeIf(keys: string, lines: readonly string[]) {
      if (!state.takes || !holdsLines(state.screen, lines)) return 'refused' as const
      typed.push(keys)
      const isSent = keys === '\r'
      text = isSent ? text : keys
      state.screen = isSent ? EMPTY : withText(text)
      const entry = { type: 'user', message: { content: text } }
      if (isSent && writes)
        await writeFile(join(projects, '-code-project', 'right.jsonl'), `${JSON.stringify(entry)}\n`)
      state.onTyped(keys)
      return 'typed' as const
    },
  }
  // Others write, too.
  const other = writeFile(
    join(projects, '-code-project', 'other.jsonl'),
    '{"type":"user","message":{"content":"hi"}}\n',
  )
  const find = async () => {
    await other
    let isOver = false
    const finding = findByMarker({
      terminal,
      screen: () => state.screen,
      projects,
      marker,
      clock,
      signal: over.signal,
    }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      advance(200)
      state.onTick()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return finding
  }
  return { find, state, typed, marker, over }
}

describe('finding a conversation by a marker', () => {
  it('types it into the empty prompt, sends it when it stands there, and finds the file that holds it', async () => {
    const test = world()
    expect(await test.find()).toMatchObject({ found: { sessionId: 'right' } })
    expect(test.typed).toEqual([markerMessage(test.marker), '\r'])
  })

  it('says plainly that it was not found', async () => {
    const test = world({ writes: false })
    expect(await test.find()).toEqual({ found: undefined })
    expect(test.typed).toHaveLength(2)
  })

  it('types nothing for a marker that was said already: the answer was lost on its way', async () => {
    const test = world()
    await test.find()
    expect(await test.find()).toMatchObject({ found: { sessionId: 'right' } })
    expect(test.typed).toHaveLength(2)
  })

  it.each([
    ['bash', 'dialog'],
    ['subagent', 'dialog'],
    ['settings', 'no_prompt'],
    ['prompt-working', 'working'],
    ['prompt-menu', 'written'],
  ])('types nothing while the screen is %s', async (name, refusal) => {
    const test = world({ screen: recordedScreen(name) })
    expect(await test.find()).toEqual({ refusal })
    expect(test.typed).toEqual([])
  })

  it('types nothing while somebody types, and waits until they have stopped', async () => {
    const busy = world()
    busy.state.idleMs = 100
    expect(await busy.find()).toEqual({ refusal: 'typing' })
    expect(busy.typed).toEqual([])
    const soon = world()
    soon.state.idleMs = 100
    soon.state.onTick = () => {
      soon.state.idleMs += 200
    }
    expect(await soon.find()).toMatchObject({ found: { sessionId: 'right' } })
  })

  it('types nothing when the screen changes while it waits for that', async () => {
    const test = world()
    const { state } = test
    state.idleMs = 100
    state.onTick = () => {
      state.idleMs += 200
      if (state.idleMs > 1000) state.screen = recordedScreen('bash')
    }
    expect(await test.find()).toEqual({ refusal: 'dialog' })
    expect(test.typed).toEqual([])
  })

  it('types nothing when the screen is never the one that was read', async () => {
    const test = world()
    test.state.takes = false
    expect(await test.find()).toEqual({ refusal: 'changing' })
    expect(test.typed).toEqual([])
  })

  it.each([
    ['a dialog has come in front of what it typed', () => recordedScreen('bash')],
    ['something else is written', (keys: string) => withText(`rm -rf / ${keys}`)],
    ['Claude Code has begun to work', (keys: string) => withText(keys, recordedScreen('prompt-working'))],
  ])('does not press Enter where %s', async (_, next) => {
    const test = world()
    test.state.onTyped = (keys) => {
      test.state.screen = next(keys)
    }
    expect(await test.find()).toEqual({ refusal: 'unsent' })
    expect(test.typed).toEqual([markerMessage(test.marker)])
  })

  it('ends when the terminal does', async () => {
    const test = world({ writes: false })
    test.state.onTyped = (keys) => {
      if (keys === '\r') test.over.abort()
    }
    expect(await test.find()).toEqual({ refusal: 'ended' })
  })
})

describe('a marker', () => {
  it('is another one each time, and of letters alone', () => {
    const all = Array.from({ length: 200 }, newMarker)
    expect(new Set(all).size).toBe(200)
    for (const marker of all) expect(marker).toMatch(MARKER)
    expect(new Set(all.join('').replaceAll('-', '')).size).toBe(6)
  })
})
