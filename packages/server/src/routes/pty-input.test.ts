import { recordedScreen } from '@holdpoint/agents/testing/recorded-screen'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { report } from '@holdpoint/testing/long'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { SPELLINGS } from '@holdpoint/testing/terminal/typed-spellings'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'

const DIALOG = recordedScreen('bash')
const OPEN = { status: 409, body: { error: { code: 'dialog_open' } } }
const NEW = { status: 409, body: { error: { code: 'ask_just_came' } } }
const ARMING_MS = 500

type World = Awaited<ReturnType<typeof startWorld>>

/** A gateway in which asks stay new until the test says that they are not, however slow the machine is. */
async function startWorld(store = createMemoryStore()) {
  const { clock, set } = createManualClock()
  const arming: (() => void)[] = []
  const after: typeof clock.after = (ms, callback) => {
    if (ms !== ARMING_MS) return clock.after(ms, callback)
    arming.push(callback)
    return () => {}
  }
  const test = await startTestGateway({ store, clock: { ...clock, after } })
  return {
    test,
    /** Sets the time of day. */
    set,
    arm() {
      for (const callback of arming.splice(0)) callback()
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

/** A session whose agent asks, and whose terminal keeps what is typed. */
async function start({ test, arm }: World) {
  const { session, agent } = await test.session()
  /** An ask that has only just come. */
  const newAsk = (request: Partial<AskRequest> = {}) => test.openAsk(agent, request)
  test.terminals.open(session.id)
  return {
    id: session.id,
    type: (input: string, { key, askID }: { key?: string; askID?: string } = {}) =>
      test.api.call(
        'POST',
        '/api/pty-input',
        { sessionID: session.id, input, ...(askID && { askID }) },
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    typed: () => test.terminals.typed(session.id),
    show: (lines: readonly string[]) => test.terminals.show(session.id, lines),
    newAsk,
    /** One that has been there for long enough to be looked at. */
    async ask(request: Partial<AskRequest> = {}) {
      const raised = await newAsk(request)
      arm()
      return raised
    },
    answer: test.api.answer,
  }
}

const question = (more: object = {}): Partial<AskRequest> => ({
  kind: 'question',
  questions: [{ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false, ...more }],
})

describe('T68 POST /api/pty-input', () => {
  it('types every spelling where nothing is asked, and none where a dialog is on the screen', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    for (const { input } of SPELLINGS) expect(await terminal.type(input)).toMatchObject({ status: 202 })
    const all = SPELLINGS.map(({ input }) => input).join('')
    expect(terminal.typed()).toBe(all)
    // No ask is known of yet, or it is none that could be read.
    terminal.show(DIALOG)
    for (const { input } of SPELLINGS) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(terminal.typed()).toBe(all)
    report(`T68: ${SPELLINGS.length} spellings typed without a dialog, and none with one`)
  })

  it.each([
    ['without a screen', []],
    ['with its dialog on the screen', DIALOG],
  ])('turns yes and no into the answer of the one open ask, and refuses everything else, %s', async (_, lines) => {
    await using world = await startWorld()
    const terminal = await start(world)
    terminal.show(lines)
    for (const { input, means } of SPELLINGS) {
      const { ask, outcome } = await terminal.ask()
      const reply = await terminal.type(input)
      if (means) {
        expect(reply).toMatchObject({ status: 202 })
        expect(await outcome).toMatchObject({ kind: means === 'yes' ? 'allowed' : 'denied', via: 'pty-input' })
        continue
      }
      expect(reply).toMatchObject(OPEN)
      expect(await terminal.answer(ask, { kind: 'deny' })).toMatchObject({ status: 200 })
    }
    expect(terminal.typed()).toBe('')
  })

  it('refuses everything while two are open', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    const asks = [await terminal.ask(), await terminal.ask()]
    for (const { input } of SPELLINGS) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(terminal.typed()).toBe('')
    for (const { ask } of asks) expect(await terminal.answer(ask, { kind: 'deny' })).toMatchObject({ status: 200 })
  })

  it('T27 gives no answer to what a program has raised, unless it names that, and lets it hold nothing up', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    const { api } = await world.test.credential({ role: 'raiser' })
    const tool = { name: 'Bash', input: { command: 'npm test' } }
    const request = {
      sessionId: terminal.id,
      requestId: 'r',
      kind: 'approval',
      title: 'Bash',
      tool,
      context: { cwd: '/' },
    }
    const raised = await api.ok<Ask>('POST', '/api/asks', request)
    world.arm()
    // A dialog of the agent's of which no ask is known yet.
    terminal.show(DIALOG)
    expect(await terminal.type('y')).toMatchObject(OPEN)
    const { outcome } = await terminal.ask()
    expect(await terminal.type('y')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    expect(await api.ok<Ask>('GET', `/api/asks/${raised.id}`)).not.toHaveProperty('outcome')
    expect(await terminal.type('n', { askID: raised.id })).toMatchObject({ status: 202 })
    expect(await api.ok<Ask>('GET', `/api/asks/${raised.id}`)).toMatchObject({ outcome: { kind: 'denied' } })
    expect(terminal.typed()).toBe('')
  })

  it('reads the number of an option off the dialog: only a plain yes and a no decide', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    terminal.show(DIALOG)
    const numbers = DIALOG.flatMap((line) => /^\s*❯?\s*(\d)\. (.*\S)/.exec(line)?.slice(1, 3).join(' ') ?? [])
    expect(numbers.map((line) => line.slice(0, 6).trim())).toEqual(['1 Yes', '2 Yes,', '3 Yes,', '4 No'])
    const { outcome } = await terminal.ask()
    for (const input of ['2', '3\r', '5', '0', '12']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('4\r')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'denied' })
  })

  it('reads the yes to a plan off its dialog: only the one that changes no mode decides', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    terminal.show(recordedScreen('plan'))
    const { outcome } = await terminal.ask({ kind: 'plan', plan: { text: 'Do it.' } })
    // 1 is "Yes, and use auto mode", 3 is "Tell Claude what to change".
    for (const input of ['1', '3\r', '4']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('2\r')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'allowed', answer: { kind: 'allow' }, via: 'pty-input' })
    // The same words under an approval are no plain yes.
    const approval = await terminal.ask()
    expect(await terminal.type('2\r')).toMatchObject(OPEN)
    expect(await terminal.answer(approval.ask, { kind: 'deny' })).toMatchObject({ status: 200 })
    expect(terminal.typed()).toBe('')
  })

  it('takes no number while several questions are asked in one', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    const one = { question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false }
    const { outcome } = await terminal.ask({ kind: 'question', questions: [one, { ...one, question: 'And then?' }] })
    for (const input of ['1', '2\r', 'y']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('n')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'denied', answer: { kind: 'cancel' } })
    expect(terminal.typed()).toBe('')
  })

  it('takes the number of a question’s option, and no yes to a question', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    const one = await terminal.ask(question())
    for (const input of ['y\r', '3', '0']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('2\n')).toMatchObject({ status: 202 })
    expect(await one.outcome).toMatchObject({ answer: { answers: [{ question: 0, selected: ['Blue'] }] } })
    const counted = await terminal.ask(question({ options: [{ label: '2' }, { label: '1' }, { label: '3' }] }))
    for (const input of ['1', '2']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('3')).toMatchObject({ status: 202 })
    expect(await counted.outcome).toMatchObject({ answer: { answers: [{ question: 0, selected: ['3'] }] } })
    const several = await terminal.ask(question({ multiSelect: true }))
    expect(await terminal.type('1')).toMatchObject(OPEN)
    expect(await terminal.type('n\r')).toMatchObject({ status: 202 })
    expect(await several.outcome).toMatchObject({ kind: 'denied', answer: { kind: 'cancel' } })
    const plan = await terminal.ask({ kind: 'plan', plan: { text: 'Do it.' } })
    expect(await terminal.type('1\r')).toMatchObject(OPEN)
    expect(await terminal.type('n\r')).toMatchObject({ status: 202 })
    expect(await plan.outcome).toMatchObject({ kind: 'denied' })
    expect(terminal.typed()).toBe('')
  })

  it('types nothing while Claude Code is at work on the screen, but for what stops it', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    terminal.show(recordedScreen('prompt-working'))
    for (const { input } of SPELLINGS.filter(({ input }) => input !== '\x1b')) {
      const refused = { status: 409, body: { error: { code: 'not_at_rest' } } }
      expect([input, await terminal.type(input)]).toMatchObject([input, refused])
    }
    expect(terminal.typed()).toBe('')
    for (const input of ['\x1b', '\x03']) expect(await terminal.type(input)).toMatchObject({ status: 202 })
    terminal.show(recordedScreen('idle'))
    expect(await terminal.type('do it\r')).toMatchObject({ status: 202 })
    expect(terminal.typed()).toBe('\x1b\x03do it\r')
  })

  it('answers no ask that has only just come, whatever the time of day does', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    const { outcome } = await terminal.newAsk()
    world.set(3_600_000)
    for (const input of ['y', 'n\r', '1']) expect(await terminal.type(input)).toMatchObject(NEW)
    expect(await terminal.type('maybe')).toMatchObject(OPEN)
    world.set(-7_200_000)
    world.arm()
    expect(await terminal.type('y')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    expect(terminal.typed()).toBe('')
  })

  it.each(['y', 'n\r', '1', '4\r'])('gives %j under one key to one ask, however often it is sent', async (input) => {
    await using world = await startWorld()
    const terminal = await start(world)
    terminal.show(DIALOG)
    const first = await terminal.ask()
    const key = 'key-1'
    // At the same moment, too.
    const replies = await Promise.all([1, 2, 3].map(() => terminal.type(input, { key })))
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202])
    const settled = await first.outcome
    terminal.show([])
    expect(await terminal.type(input, { key })).toMatchObject({ status: 202 })
    const second = await terminal.ask()
    for (let again = 0; again < 3; again++) expect(await terminal.type(input, { key })).toMatchObject({ status: 202 })
    expect(await world.test.api.openAsks(terminal.id)).toMatchObject([{ id: second.ask.id }])
    expect(await first.outcome).toEqual(settled)
    const other = input === 'y' ? 'n' : 'y'
    expect(await terminal.type(other, { key })).toMatchObject({ body: { error: { code: 'retry_mismatch' } } })
    expect(await terminal.type(input, { key: 'key-2' })).toMatchObject({ status: input === '4\r' ? 409 : 202 })
    expect(terminal.typed()).toBe('')
  })

  it('knows what was sent under a key after a restart, too', async () => {
    const store = createMemoryStore()
    const { id, typed } = await (async () => {
      await using world = await startWorld(store)
      const terminal = await start(world)
      await terminal.ask()
      expect(await terminal.type('y', { key: 'answered' })).toMatchObject({ status: 202 })
      expect(await terminal.type('make\r', { key: 'typed' })).toMatchObject({ status: 202 })
      expect(await terminal.type('make\r', { key: 'typed' })).toMatchObject({ status: 202 })
      return { id: terminal.id, typed: terminal.typed() }
    })()
    expect(typed).toBe('make\r')
    await using world = await startWorld(store)
    world.test.terminals.open(id)
    const again = (input: string, key: string) =>
      world.test.api.call('POST', '/api/pty-input', { sessionID: id, input }, { 'idempotency-key': key })
    expect(await again('y', 'answered')).toMatchObject({ status: 202 })
    expect(await again('make\r', 'typed')).toMatchObject({ status: 202 })
    expect(await again('make all\r', 'typed')).toMatchObject({ status: 422 })
    expect(world.test.terminals.typed(id)).toBe('')
  })

  it('may be sent again under its key after a refusal, for then nothing was done', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    terminal.show(recordedScreen('prompt-working'))
    expect(await terminal.type('y', { key: 'one' })).toMatchObject({ status: 409 })
    const { outcome } = await terminal.newAsk()
    expect(await terminal.type('y', { key: 'one' })).toMatchObject(NEW)
    world.arm()
    expect(await terminal.type('y', { key: 'one' })).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    expect(terminal.typed()).toBe('')
  })

  it('answers the ask that it names and no other, at once, and types nothing then', async () => {
    await using world = await startWorld()
    const terminal = await start(world)
    const [first, second] = [await terminal.newAsk(), await terminal.newAsk()]
    expect(await terminal.type('y', { askID: second.ask.id })).toMatchObject({ status: 202 })
    expect(await second.outcome).toMatchObject({ kind: 'allowed', via: 'pty-input' })
    expect(await world.test.api.openAsks(terminal.id)).toMatchObject([{ id: first.ask.id }])
    const settled = { status: 409, body: { error: { code: 'already_settled', outcome: { kind: 'allowed' } } } }
    for (const input of ['y', 'n', 'words\r']) {
      expect(await terminal.type(input, { askID: second.ask.id })).toMatchObject(settled)
    }
    expect(await terminal.type('words\r', { askID: first.ask.id })).toMatchObject(OPEN)
    expect(await terminal.type('n', { askID: first.ask.id })).toMatchObject({ status: 202 })
    expect(await first.outcome).toMatchObject({ kind: 'denied' })
    for (const askID of ['ask_00000000000000000000000000', 'none']) {
      expect(await terminal.type('y', { askID })).toMatchObject({ status: 404 })
    }
    const other = await start(world)
    const { ask } = await other.ask()
    expect(await terminal.type('y', { askID: ask.id })).toMatchObject({ status: 404 })
    expect(terminal.typed() + other.typed()).toBe('')
  })
})
