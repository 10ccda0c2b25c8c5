import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent, DriverStart } from '@holdpoint/core/driver'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Terminal } from '../../terminal/terminal.ts'
import { createInteractiveTools } from '../asks/interactive-tools.ts'
import { placeIn, readPlace } from './file-place.ts'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { createHostedClaude, type HostedClaude } from './hosted-claude.ts'
import { newMarker } from './marker.ts'

const CWD = '/code/project'
const IDLE = recordedScreen('idle')
const said = (text: string) => `${JSON.stringify({ type: 'user', message: { content: text } })}\n`
const CLEAR = said('<command-name>/clear</command-name>')

let projects: string
let over: AbortController
let open: HostedClaude[]
beforeEach(async () => {
  projects = await mkdtemp(join(tmpdir(), 'holdpoint-hosted-'))
  await mkdir(join(projects, '-code-project'))
  over = new AbortController()
  open = []
})
afterEach(async () => {
  over.abort()
  await Promise.all(open.map(({ closed }) => closed))
  await rm(projects, { recursive: true, force: true })
})

const path = (id: string) => join(projects, '-code-project', `${id}.jsonl`)

interface World {
  readonly isProgram?: boolean
  readonly vendorSessionId?: string
  readonly start?: Partial<DriverStart>
  /** The file that takes what is said in the terminal. */
  readonly writesTo?: string
}

function world({ isProgram = false, vendorSessionId, start = {}, writesTo = 'found' }: World = {}) {
  const time = createManualClock()
  const committed: { event: AgentEvent; place: number | undefined }[] = []
  const told: string[] = []
  const to = { file: writesTo }
  let show = (_lines: readonly string[]) => {}
  let now = IDLE
  let text = ''
  const terminal = {
    idleMs: 60_000,
    watch(listener: typeof show) {
      show = (lines) => {
        now = [...lines]
        listener(lines)
      }
    },
    async typeIf(keys: string) {
      if (keys === '\r') {
        await appendFile(path(to.file), said(text))
        show(IDLE)
      } else {
        text = keys
        show(now.map((line) => (/^❯/.test(line) ? `❯ ${keys}` : line)))
      }
      return 'typed'
    },
  } as unknown as Terminal
  const claude = createHostedClaude({
    start: { cwd: CWD, reattached: () => {}, ...start } as DriverStart,
    terminal,
    tools: createInteractiveTools(),
    clock: time.clock,
    projects,
    isProgram,
    vendorSessionId,
    hooks: { leavesToScreen: () => true, isHolding: () => false, isHeard: () => false },
    hasHooks: () => false,
    commit: async (events, place) => void committed.push(...events.map((event) => ({ event, place }))),
    warn: (message) => told.push(message),
    signal: over.signal,
  })
  open.push(claude)
  claude.subscribe(() => told.push(claude.state))
  const mayWait = () =>
    committed.flatMap(({ event }) => (event.type === 'may-wait' ? [event.mayWait] : [])).at(-1) ?? false

  return {
    claude,
    time,
    told,
    to,
    show: (lines: readonly string[]) => show(lines),
    async find() {
      let isOver = false
      const options = { marker: newMarker(), signal: over.signal }
      const finding = claude.find(options).finally(() => {
        isOver = true
      })
      await until(() => {
        time.advance(200)
        return isOver
      }, 'the search to end')
      return finding
    },
    identified: () =>
      committed.flatMap(({ event, place }) =>
        event.type === 'identified' ? [{ id: event.vendorSessionId, place }] : [],
      ),
    messages: () =>
      committed.flatMap(({ event }) =>
        event.type === 'item' && event.item.type === 'message' ? [event.item.text] : [],
      ),
    places: () =>
      committed.flatMap(({ event, place }) => (event.type === 'item' && place !== undefined ? [place] : [])),
    mayWait,
    saidToWait: () =>
      until(() => {
        time.advance(1000)
        return mayWait()
      }, 'it to be said'),
    /** How its turns began and ended, and after how many messages. */
    turns: () =>
      committed.flatMap(({ event }, index) => {
        const isMessage = ({ event: past }: { event: AgentEvent }) =>
          past.type === 'item' && past.item.type === 'message'
        return /^turn-/.test(event.type)
          ? [`${event.type} after ${committed.slice(0, index).filter(isMessage).length}`]
          : []
      }),
    notices: () => committed.filter(({ event }) => event.type === 'item' && event.item.type === 'notice').length,
  }
}

describe('Claude Code whose conversation is known', () => {
  const NO_FIRST = [
    ...['─'.repeat(40), ' Bash command', '╌'.repeat(40), ' touch a.txt', '╌'.repeat(40)],
    ...[' Do you want to proceed?', ' ❯ No', '   Yes', '', ' Esc to cancel · Tab to amend'],
  ]

  it('I7 has a dialog of a kind that cannot be read said, while it stands and each time that it comes', async () => {
    await writeFile(path('known'), said('hello'))
    const test = world({ isProgram: true, vendorSessionId: 'known' })
    test.show(IDLE)
    for (const spinner of ['✻ Thinking…', '✢ Thinking…']) {
      test.show([spinner, ...NO_FIRST])
      test.time.advance(2000)
      // What moves above it does not put it off.
      test.show(['✽ Thinking…', ...NO_FIRST])
      expect(test.mayWait()).toBe(false)
      test.time.advance(2000)
      await until(() => test.mayWait(), 'it to be said')
      expect([test.notices(), test.claude.state]).toEqual([1, 'known'])
      test.show(IDLE)
      expect(test.mayWait()).toBe(false)
    }
  })
})

const called = (...commands: readonly string[]) =>
  commands
    .map((command, n) => {
      const content = [{ type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command } }]
      return `${JSON.stringify({ type: 'assistant', message: { id: 'msg_1', content } })}\n`
    })
    .join('')

describe('a dialog whose call is in the file', () => {
  it('[I7] is said to wait where its answer is on record, and it stands all the same', async () => {
    await writeFile(path('known'), `${said('hello')}${called('touch made.txt')}`)
    const start: Partial<DriverStart> = { answered: async () => 'delivered' }
    const test = world({ isProgram: true, vendorSessionId: 'known', start })
    await until(() => test.messages().length === 1, 'the thread')
    test.show(IDLE)
    test.show(recordedScreen('bash'))
    await test.saidToWait()
    expect([test.notices(), test.claude.state]).toEqual([1, 'known'])
  })

  it('[I2] is looked for in no other file, also where it may be about another call of its own', async () => {
    await writeFile(path('known'), `${said('hello')}${called('touch made .txt', 'touch made.txt')}`)
    const test = world({ isProgram: true, vendorSessionId: 'known' })
    await until(() => test.messages().length === 1, 'the thread')
    test.show(IDLE)
    test.show(recordedScreen('bash'))
    await writeFile(path('newer'), called('touch made.txt'))
    await utimes(path('newer'), new Date(), new Date(Date.now() + 60_000))
    await test.saidToWait()
    expect([test.notices(), test.claude.state, test.identified()]).toEqual([1, 'known', []])
  })
})

describe('more open calls than are kept', () => {
  it('[I2] leave every dialog to the terminal: the call that it is about may be one that was forgotten', async () => {
    const calls = Array.from({ length: 1001 }, (_, n) =>
      n === 1000 ? 'touch made.txt' : n === 0 ? 'touch made .txt' : `echo ${n}`,
    )
    await writeFile(path('known'), `${said('hello')}${called(...calls)}`)
    const raised: unknown[] = []
    const start: Partial<DriverStart> = { answered: async (requestId) => void raised.push(requestId) }
    const test = world({ isProgram: true, vendorSessionId: 'known', start })
    await until(() => test.messages().length === 1, 'the thread')
    test.show(IDLE)
    test.show(recordedScreen('bash'))
    await test.saidToWait()
    expect(raised).toEqual([])
  })
})

describe('Claude Code that a shell has started', () => {
  it('is not known until it is found, and then followed', async () => {
    await writeFile(path('found'), said('hello'))
    await writeFile(path('other'), said('not ours'))
    const test = world()
    test.show(['ready> '])
    expect(test.claude.state).toBe('none')
    test.show(IDLE)
    expect(test.told).toEqual(['unknown'])
    expect(await test.find()).toEqual({ vendorSessionId: 'found' })
    expect(test.claude.state).toBe('known')
    expect(test.identified()).toEqual([{ id: 'found', place: undefined }])
    await until(() => test.messages().length === 2, 'the thread')
    expect(test.messages()[0]).toBe('hello')
    await appendFile(path('found'), said('more'))
    await until(() => test.messages().at(-1) === 'more', 'what comes later')
    expect(test.messages()).not.toContain('not ours')
  })

  it('is found again in another file, whose places on record come after those of the first', async () => {
    await writeFile(path('found'), said('x'.repeat(5000)))
    const test = world()
    test.show(IDLE)
    await test.find()
    await until(() => test.messages().length === 2, 'the thread')
    test.to.file = 'second'
    expect(await test.find()).toEqual({ vendorSessionId: 'second' })
    await until(() => test.messages().length === 3, 'the second thread')
    expect(test.identified().at(-1)).toEqual({ id: 'second', place: placeIn(1, 0) })
    const places = test.places()
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(readPlace(places.at(-1) ?? 0).file).toBe(1)
  })

  it('is known to the next gateway, which reads on from what is on record', async () => {
    await writeFile(path('found'), said('old') + said('new'))
    const place = placeIn(3, said('old').length)
    const attach = { checkpoint: place, open: [], mayBeMissing: false }
    const test = world({ start: { attach, resume: 'found' } })
    expect(test.claude.state).toBe('known')
    await until(() => test.messages().length > 0, 'what is new')
    expect(test.messages()).toEqual(['new'])
    expect(readPlace(test.places()[0] ?? 0).file).toBe(3)
  })

  it('[I7] keeps what its subagents ask open, for the next gateway', async () => {
    const called = (toolUseId: string, more: object) =>
      `${JSON.stringify({
        type: 'assistant',
        ...more,
        message: { id: `msg_${toolUseId}`, content: [{ type: 'tool_use', id: toolUseId, name: 'Bash', input: {} }] },
      })}\n`
    await writeFile(path('found'), called('toolu_main', { timestamp: '2026-01-01T00:00:02Z' }))
    const folder = join(projects, '-code-project', 'found', 'subagents', 'deeper')
    await mkdir(folder, { recursive: true })
    const subagent = called('toolu_sub', { agentId: 'a1', timestamp: '2026-01-01T00:00:01Z' })
    await writeFile(join(folder, 'agent-a1.jsonl'), subagent)
    await writeFile(join(folder, 'other.jsonl'), called('toolu_other', {}))
    const told: unknown[] = []
    const attach = { checkpoint: 0, open: [], mayBeMissing: false }
    world({ start: { attach, resume: 'found', reattached: (requests) => void told.push(requests) } })
    await until(() => told.length > 0, 'what is open')
    expect(told).toEqual([{ open: ['terminal:toolu_sub', 'terminal:toolu_main'], answered: [] }])
  })

  it('is not taken to be there when the shell is started again', () => {
    expect(world({ start: { resume: 'found' } }).claude.state).toBe('none')
  })

  it('is looked for once at a time', async () => {
    const test = world()
    test.show(IDLE)
    const first = test.find()
    const options = { marker: newMarker(), signal: over.signal }
    expect(await test.claude.find(options)).toEqual({ refusal: 'searching' })
    expect(await first).toEqual({ vendorSessionId: 'found' })
  })

  it('has a dialog that nobody here can ask about said, once, and can still be found', async () => {
    const test = world()
    test.show(IDLE)
    test.show(recordedScreen('bash'))
    expect(test.claude.state).toBe('unknown')
    expect([test.mayWait(), test.notices()]).toEqual([false, 0])
    test.time.advance(4000)
    expect([test.mayWait(), test.notices(), test.claude.state]).toEqual([true, 1, 'unknown'])
    test.time.advance(4000)
    test.show(IDLE)
    expect([test.mayWait(), test.notices()]).toEqual([false, 1])
    test.show(['ready> '])
    expect(test.claude.state).toBe('none')
  })

  it('stays unknown when the message cannot be typed', async () => {
    const test = world()
    test.show(IDLE)
    test.show(recordedScreen('bash'))
    expect(await test.find()).toEqual({ refusal: 'dialog' })
    expect(test.identified()).toEqual([])
    expect(test.claude.state).toBe('unknown')
  })
})

describe('Claude Code that is the program itself', () => {
  it('ends its turn when the prompt is there again and its last words are on record, not before', async () => {
    await writeFile(path('given'), said('hello'))
    const test = world({ isProgram: true, vendorSessionId: 'given' })
    await until(() => test.messages().length === 1, 'the thread')
    test.show(recordedScreen('prompt-working'))
    test.show(IDLE)
    expect(test.turns()).toEqual([])
    const words = { type: 'assistant', message: { content: [{ type: 'text', text: 'All done.' }] } }
    await appendFile(path('given'), `${JSON.stringify(words)}\n`)
    await until(() => test.turns().length > 0, 'the end of the turn')
    expect(test.turns()).toEqual(['turn-ended after 2'])
    test.show(recordedScreen('bash'))
    expect(test.turns().at(-1)).toBe('turn-started after 2')
  })

  it('is known by the id that it was given', () => {
    expect(world({ isProgram: true, vendorSessionId: 'given' }).claude.state).toBe('known')
  })

  it('with --continue is what is written to first, and a guess where that could be two', async () => {
    const sure = world({ isProgram: true })
    sure.show(IDLE)
    expect(sure.claude.state).toBe('none')
    await until(async () => {
      await appendFile(path('one'), said('hello'))
      sure.time.advance(1000)
      return sure.claude.state === 'known'
    }, 'it to be found')
    await writeFile(path('two'), said('b'))
    const soon = Date.now() / 1000 + 60
    await Promise.all(['one', 'two'].map((id) => utimes(path(id), soon, soon)))
    const guessing = world({ isProgram: true })
    await until(() => guessing.claude.state === 'guessed', 'it to be guessed')
    guessing.show(IDLE)
    guessing.to.file = 'one'
    expect(await guessing.find()).toEqual({ vendorSessionId: 'one' })
    expect(guessing.claude.state).toBe('known')
  })

  it('goes on after /clear in the file that begins with it', async () => {
    await writeFile(path('given'), said('hello'))
    const test = world({ isProgram: true, vendorSessionId: 'given' })
    await until(() => test.messages().length === 1, 'the thread')
    test.show(recordedScreen('cleared'))
    await writeFile(path('another'), said('somebody else’s'))
    await writeFile(path('next'), CLEAR + said('again'))
    await until(() => {
      test.time.advance(250)
      return test.messages().includes('again')
    }, 'the new thread')
    expect(test.identified()).toEqual([{ id: 'next', place: placeIn(1, 0) }])
    expect(test.claude.state).toBe('known')
  })

  it('is doubted after /clear where two files begin with it', async () => {
    await writeFile(path('given'), said('hello'))
    const test = world({ isProgram: true, vendorSessionId: 'given' })
    await until(() => test.messages().length === 1, 'the thread')
    await writeFile(path('one'), CLEAR)
    await writeFile(path('two'), CLEAR)
    test.show(recordedScreen('cleared'))
    await until(() => test.claude.state === 'unknown', 'the doubt')
    expect(test.identified()).toEqual([])
  })

  it('is doubted when a dialog stays that is not in its file, which is said once', async () => {
    await writeFile(path('given'), said('hello'))
    const test = world({ isProgram: true, vendorSessionId: 'given' })
    await until(() => test.messages().length === 1, 'the thread')
    test.show(recordedScreen('bash'))
    await until(() => {
      test.time.advance(4000)
      return test.notices() > 0
    }, 'the notice')
    test.show(IDLE)
    expect(test.claude.state).toBe('unknown')
    expect(test.notices()).toBe(1)
  })
})
