import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ask,
  fillForm,
  multiQuestion,
  planSteps,
  planUntilApproved,
  singleQuestion,
  steps,
  subagents,
} from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { until } from '../until.ts'
import { startForms } from './forms.ts'
import { type RealGateway, startRealGateway } from './real-gateway.ts'

let real: RealGateway

const scripts = {
  bash: steps([
    use('Bash', { command: 'touch made.txt', description: 'make a file' }),
    use('Bash', { command: 'touch asked.txt' }),
    use('Bash', { command: 'touch denied.txt' }),
    use('Bash', { command: 'touch last.txt' }),
  ]),
  'two-bash': steps([use('Bash', { command: 'touch one.txt' }), use('Bash', { command: 'touch two.txt' })]),
  'same-bash': steps([
    use('Bash', { command: 'touch same.txt', description: 'first' }),
    use('Bash', { command: 'touch same.txt', description: 'second' }),
    use('Bash', { command: 'touch other.txt' }),
  ]),
  files: steps([
    (call) => ({ content: [use('Write', { file_path: join(call.cwd ?? '', 'note.txt'), content: 'new text\n' })] }),
    (call) => ({ content: [use('Read', { file_path: join(call.cwd ?? '', 'old.txt') })] }),
    (call) => ({
      content: [use('Edit', { file_path: join(call.cwd ?? '', 'old.txt'), old_string: 'two', new_string: 'TWO' })],
    }),
  ]),
  picture: steps([(call) => ({ content: [use('Read', { file_path: join(call.cwd ?? '', 'one.png') })] })]),
  question: steps([ask(singleQuestion, multiQuestion), ask(singleQuestion)]),
  plan: steps(planSteps('# The plan\n\n1. Do it.\n')),
  'plan-work': steps([
    ...planSteps('# The plan\n\n1. Do it.\n'),
    (call) => ({ content: [use('Write', { file_path: join(call.cwd ?? '', 'edited.txt'), content: 'x' })] }),
    use('Bash', { command: 'touch made.txt' }),
  ]),
  'plan-again': planUntilApproved('# The plan\n\n1. Do it.\n'),
  form: steps([fillForm(), fillForm(), fillForm()]),
  parallel: steps([[1, 2, 3].map((n) => use('WebFetch', { url: `https://example.invalid/${n}`, prompt: 'read' }))]),
  helpers: subagents([
    { prompt: 'scenario:helpers left', steps: [use('Bash', { command: 'touch left.txt' })] },
    { prompt: 'scenario:helpers right', steps: [use('Bash', { command: 'touch right.txt' })] },
    { prompt: 'scenario:helpers middle', steps: [use('Bash', { command: 'touch middle.txt' })] },
  ]),
}

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** As Claude Code tells its model. The words alone prove nothing: they may stand in what it asked. */
const given = (question: string, answer: string) => JSON.stringify(`"${question}"="${answer}"`).slice(1, -1)
/** The whole result of a tool of the forms server. */
const reported = (text: string) => JSON.stringify({ text }).slice(1, -1)

beforeAll(async () => {
  real = await startRealGateway({ scripts })
})
afterAll(() => real[Symbol.asyncDispose]())

it('keeps the picture that a tool of the real agent returned, and notes what a slash command printed', async () => {
  const session = await real.session('picture', { prepare: (cwd: string) => writeFile(join(cwd, 'one.png'), PNG) })
  const result = await until(
    async () => (await session.items()).find((item) => item.type === 'tool-result'),
    'the result of the call',
  )
  expect(result).toMatchObject({ text: '[image]', attachments: [expect.stringMatching(/^att_/)] })
  const [id] = result.attachments ?? []
  const picture = await fetch(`${real.gateway.url}/api/attachments/${id}`, {
    headers: { authorization: `Bearer ${PROCESS_TOKEN}` },
  })
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await picture.arrayBuffer()).subarray(0, 4)).toEqual(PNG.subarray(0, 4))
  await session.idle()
  await session.send('/cost')
  const note = await until(async () => (await session.items()).find((item) => item.type === 'notice'), 'the note')
  expect(note.text).toMatch(/^Total cost/)
})

describe('the real agent asks for approval', () => {
  it.concurrent('runs what was allowed once, exactly as shown or edited, and is told why something was denied', async () => {
    const session = await real.session('bash')
    const first = await session.ask()
    expect(first).toMatchObject({
      kind: 'approval',
      title: 'Bash: touch made.txt',
      agentSays: 'make a file',
      tool: { name: 'Bash', input: { command: 'touch made.txt' } },
      context: { cwd: session.cwd, command: 'touch made.txt' },
      flags: { defaultToNo: false, noRemember: false },
    })
    expect(await session.file('made.txt')).toBeUndefined()
    expect(await session.answer(first, { kind: 'allow' })).toMatchObject({ kind: 'allowed', via: 'api' })
    const second = await session.ask((open) => open.title.includes('asked.txt'))
    expect(await session.file('made.txt')).toBe('')
    const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
    expect(asks).toMatchObject([{ id: first.id, outcome: { kind: 'allowed', answer: { kind: 'allow' } } }])

    const updatedInput = { ...second.tool?.input, command: 'touch edited.txt' }
    await session.answer(second, { kind: 'allow', updatedInput })
    const third = await session.ask((open) => open.title.includes('denied.txt'))
    expect([await session.file('edited.txt'), await session.file('asked.txt')]).toEqual(['', undefined])

    await session.answer(third, { kind: 'deny', message: 'not on a Sunday' })
    // It goes on: the next call asks for itself.
    const last = await session.ask((open) => open.title.includes('last.txt'))
    expect(session.told()).toContain('not on a Sunday')
    await session.answer(last, { kind: 'allow' })
    await session.idle()
    expect([await session.file('denied.txt'), await session.file('last.txt')]).toEqual([undefined, ''])
    expect((await session.read()).frozen).toBeUndefined()
  })

  it.concurrent('ends the turn on a denial that interrupts; the next message works', async () => {
    const session = await real.session('two-bash')
    await session.answer(await session.ask(), { kind: 'deny', interrupt: true })
    await session.idle()
    expect(await session.asks()).toEqual([])
    expect(await session.file('one.txt')).toBeUndefined()
    await session.send('go on please')
    await session.answer(await session.ask(), { kind: 'allow' })
    await session.answer(await session.ask((open) => open.title.includes('two.txt')), { kind: 'allow' })
    await session.idle()
    expect([await session.file('one.txt'), await session.file('two.txt')]).toEqual(['', ''])
  })

  it.concurrent('remembers exactly this command for this session', async () => {
    const session = await real.session('same-bash')
    await session.answer(await session.ask(), { kind: 'allow', remember: { scope: 'session' } })
    // The second one differs in its description alone, so it does not ask; the third is another command.
    const third = await session.ask()
    expect(third.title).toBe('Bash: touch other.txt')
    const { asks } = await real.api.ok<{ asks: { outcome: { via: string } }[] }>(
      'GET',
      `/api/asks?status=settled&sessionId=${session.id}`,
    )
    expect(asks.map((settled) => settled.outcome.via).sort()).toEqual(['api', 'rule'])
    await session.answer(third, { kind: 'deny' })
    await session.idle()
  })

  it.concurrent('shows a new file and an edit as diffs against what is on disk, and writes them when allowed', async () => {
    const session = await real.session('files', {
      prepare: (cwd: string) => writeFile(join(cwd, 'old.txt'), 'one\ntwo\nthree\n'),
    })
    const filePath = join(session.cwd, 'note.txt')
    const created = await session.ask()
    expect(created.context).toMatchObject({ filePath, diff: expect.stringContaining('+new text') })
    await session.answer(created, { kind: 'allow' })
    const edited = await session.ask(({ id }) => id !== created.id)
    expect(await session.file('note.txt')).toBe('new text\n')
    expect(edited.context.diff).toMatch(/ one\n-two\n\+TWO\n three\n/)
    await session.answer(edited, { kind: 'allow' })
    await session.idle()
    expect(await session.file('old.txt')).toBe('one\nTWO\nthree\n')
  })
})

describe('the real agent asks a question', () => {
  it.concurrent('gets single, multiple and other answers by the wording, none that does not fit, and hears of a skip', async () => {
    const session = await real.session('question')
    const open = await session.ask()
    expect(open).toMatchObject({ kind: 'question', questions: [{ multiSelect: false }, { multiSelect: true }] })
    const wrong = await real.api.answer(open, { kind: 'answer', answers: [{ question: 0, selected: ['No such'] }] })
    expect(wrong).toMatchObject({ status: 422, body: { error: { code: 'invalid_answer' } } })
    expect((await session.asks()).map((still) => still.id)).toEqual([open.id])
    await session.answer(open, {
      kind: 'answer',
      answers: [
        { question: 0, selected: [], other: 'Three columns' },
        { question: 1, selected: ['Store', 'Page'], other: 'The docs' },
      ],
    })
    const skipped = await session.ask(({ id }) => id !== open.id)
    expect(session.told()).toContain(given(singleQuestion.question, 'Three columns'))
    expect(session.told()).toContain(given(multiQuestion.question, 'Store, Page, The docs'))
    await session.answer(skipped, { kind: 'cancel' })
    await session.idle()
    expect(session.told()).toContain('The user chose not to answer this.')
  })
})

describe('the real agent wants a plan approved', () => {
  it.concurrent('gets the plan as the person edited it', async () => {
    const session = await real.session('plan')
    const open = await session.ask((candidate) => candidate.kind === 'plan')
    await session.answer(open, { kind: 'allow', plan: '# The better plan\n', permissionMode: 'acceptEdits' })
    await session.idle()
    expect(session.told()).toContain('The better plan')
    await until(async () => (await session.read()).permissionMode === 'acceptEdits', 'the mode after the plan')
  })

  it.concurrent('T38 goes on in the mode that was chosen with it, never in the more generous one from before', async () => {
    for (const from of ['acceptEdits', 'bypassPermissions']) {
      const session = await real.session('plan-work', { permissionMode: from })
      const open = await session.ask(({ kind }) => kind === 'plan')
      const stay = await real.api.answer(open, { kind: 'allow', permissionMode: 'plan' })
      expect(stay).toMatchObject({ status: 422, body: { error: { code: 'invalid_answer' } } })
      // Of a client that names none, too.
      await session.answer(open, { kind: 'allow', ...(from === 'acceptEdits' && { permissionMode: 'default' }) })
      for (const title of [/^Write: /, /^Bash: touch made.txt/]) {
        await session.answer(await session.ask((ask) => title.test(ask.title)), { kind: 'deny' })
      }
      await session.idle()
      expect([await session.file('edited.txt'), await session.file('made.txt')], from).toEqual([undefined, undefined])
      expect((await session.read()).permissionMode).toBe('default')
    }
  })

  it.concurrent('[I2] goes on with the approved plan, but not with one that has changed on disk since it was shown', async () => {
    const session = await real.session('plan-again')
    const first = await session.ask((candidate) => candidate.kind === 'plan')
    expect(first.plan?.text).toContain('# The plan')
    await writeFile(first.plan?.filePath ?? '', '# Something else\n')
    expect(await real.api.answer(first, { kind: 'allow' })).toMatchObject({
      status: 409,
      body: { error: { code: 'changed' } },
    })
    // It is asked again, with what the file holds now; the old ask answers nothing any more.
    const renewed = await session.ask((candidate) => candidate.kind === 'plan' && candidate.id !== first.id)
    expect(renewed.plan?.text).toContain('# Something else')
    expect(await real.api.answer(first, { kind: 'deny' })).toMatchObject({ status: 409 })
    await session.answer(renewed, { kind: 'deny', message: 'make it shorter' })
    const seen = [first.id, renewed.id]
    const second = await session.ask(({ kind, id }) => kind === 'plan' && !seen.includes(id))
    expect(session.told()).toContain('make it shorter')
    await session.answer(second, { kind: 'allow' })
    await session.idle()
    expect(await session.items()).toContainEqual(expect.objectContaining({ text: 'The plan is approved.' }))
  })
})

describe('an MCP server of the real agent wants a form filled in', () => {
  it.concurrent('gets what was submitted, and hears of a decline and a cancel', async () => {
    const session = await real.session('form', { trust: true, prepare: startForms })
    const approval = await session.ask((open) => open.kind === 'approval')
    await session.answer(approval, { kind: 'allow', remember: { scope: 'session' } })
    const first = await session.ask((candidate) => candidate.kind === 'form')
    expect(first.form).toMatchObject({ mode: 'form', server: 'forms' })
    const wrong = await real.api.answer(first, { kind: 'submit', content: { region: 'no such region' } })
    expect(wrong.status).toBe(422)
    await session.answer(first, { kind: 'submit', content: { name: 'Ada' } })
    const second = await session.ask(({ id }) => id !== first.id)
    expect(session.told()).toContain(reported('accept {"name":"Ada"}'))
    await session.answer(second, { kind: 'decline' })
    const third = await session.ask(({ id }) => id !== second.id)
    expect(session.told()).toContain(reported('decline'))
    await session.answer(third, { kind: 'cancel' })
    await session.idle()
    expect(session.told()).toContain(reported('cancel'))
  })
})

describe('several asks of one real agent', () => {
  it.concurrent('of parallel calls are open together and answered out of order', async () => {
    const session = await real.session('parallel')
    await until(async () => (await session.asks()).length === 3, 'three open asks')
    const open = await session.asks()
    const byUrl = (n: number) => open.find((candidate) => candidate.context.url?.endsWith(`/${n}`)) ?? expect.fail()
    for (const n of [3, 1, 2]) await session.answer(byUrl(n), { kind: 'deny', message: `no ${n} for you` })
    await session.idle()
    for (const n of [1, 2, 3]) expect(session.told()).toContain(`no ${n} for you`)
  })

  it.concurrent('of subagents name who asks, and each gets its own answer', async () => {
    const session = await real.session('helpers')
    await until(async () => (await session.asks()).length === 3, 'three open asks')
    const open = await session.asks()
    const sent = (await session.items()).flatMap((item) =>
      item.type === 'tool-call' && item.name === 'Agent' ? [item.toolUseId] : [],
    )
    expect(open.map((candidate) => candidate.subagent).sort()).toEqual(sent.sort())
    expect(open.map((candidate) => candidate.subagentName)).toEqual(['a subtask', 'a subtask', 'a subtask'])
    const of = (name: string) => open.find((candidate) => candidate.title.includes(name)) ?? expect.fail()
    await session.answer(of('right'), { kind: 'allow' })
    await session.answer(of('middle'), { kind: 'deny' })
    await session.answer(of('left'), { kind: 'allow' })
    await session.idle()
    expect(await Promise.all(['left.txt', 'middle.txt', 'right.txt'].map(session.file))).toEqual(['', undefined, ''])
    const inside = (await session.items()).filter((item) => item.subagent !== undefined)
    for (const call of sent) {
      const types = inside.filter((item) => item.subagent === call).map((item) => item.type)
      expect(types).toEqual(expect.arrayContaining(['tool-call', 'ask', 'tool-result']))
    }
    expect(new Set(inside.map((item) => item.subagent)).size).toBe(3)
  })
})
