import { recordedScreen } from '@holdpoint/agents/pty/fixtures/recorded-screen'
import type { AskRequest } from '@holdpoint/schema/ask'
import { report } from '@holdpoint/testing/long'
import { SPELLINGS } from '@holdpoint/testing/terminal/typed-spellings'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'

const DIALOG = recordedScreen('bash')
const OPEN = { status: 409, body: { error: { code: 'dialog_open' } } }

/** A session whose agent asks, and whose terminal keeps what is typed. */
async function start(test: TestGateway) {
  const { session, agent } = await test.session()
  test.terminals.open(session.id)
  return {
    id: session.id,
    type: (input: string) => test.api.call('POST', '/api/pty-input', { sessionID: session.id, input }),
    typed: () => test.terminals.typed(session.id),
    show: (lines: readonly string[]) => test.terminals.show(session.id, lines),
    ask: (request: Partial<AskRequest> = {}) => test.openAsk(agent, request),
    answer: test.api.answer,
  }
}

const question = (more: object = {}): Partial<AskRequest> => ({
  kind: 'question',
  questions: [{ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false, ...more }],
})

describe('T68 POST /api/pty-input', () => {
  it('types every spelling where nothing is asked, and none where a dialog is on the screen', async () => {
    await using test = await startTestGateway()
    const terminal = await start(test)
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
    await using test = await startTestGateway()
    const terminal = await start(test)
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
    await using test = await startTestGateway()
    const terminal = await start(test)
    const asks = [await terminal.ask(), await terminal.ask()]
    for (const { input } of SPELLINGS) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(terminal.typed()).toBe('')
    for (const { ask } of asks) expect(await terminal.answer(ask, { kind: 'deny' })).toMatchObject({ status: 200 })
  })

  it('reads the number of an option off the dialog: only a plain yes and a no decide', async () => {
    await using test = await startTestGateway()
    const terminal = await start(test)
    terminal.show(DIALOG)
    const numbers = DIALOG.flatMap((line) => /^\s*❯?\s*(\d)\. (.*\S)/.exec(line)?.slice(1, 3).join(' ') ?? [])
    expect(numbers.map((line) => line.slice(0, 6).trim())).toEqual(['1 Yes', '2 Yes,', '3 Yes,', '4 No'])
    const { outcome } = await terminal.ask()
    for (const input of ['2', '3\r', '5', '0', '12']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('4\r')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'denied' })
  })

  it('reads the yes to a plan off its dialog: only the one that changes no mode decides', async () => {
    await using test = await startTestGateway()
    const terminal = await start(test)
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
    await using test = await startTestGateway()
    const terminal = await start(test)
    const one = { question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }], multiSelect: false }
    const { outcome } = await terminal.ask({ kind: 'question', questions: [one, { ...one, question: 'And then?' }] })
    for (const input of ['1', '2\r', 'y']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('n')).toMatchObject({ status: 202 })
    expect(await outcome).toMatchObject({ kind: 'denied', answer: { kind: 'cancel' } })
    expect(terminal.typed()).toBe('')
  })

  it('takes the number of a question’s option, and no yes to a question', async () => {
    await using test = await startTestGateway()
    const terminal = await start(test)
    const one = await terminal.ask(question())
    for (const input of ['y\r', '3', '0']) expect(await terminal.type(input)).toMatchObject(OPEN)
    expect(await terminal.type('2\n')).toMatchObject({ status: 202 })
    expect(await one.outcome).toMatchObject({ answer: { answers: [{ question: 0, selected: ['Blue'] }] } })
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
})
