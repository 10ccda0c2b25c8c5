import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judge } from '@holdpoint/core/watch'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gatedCall, type ToolContext } from './ask-request.ts'
import { type InteractiveTool, submittedContent } from './interactive-tool.ts'
import { createInteractiveTools } from './interactive-tools.ts'

const FORM = { mode: 'form', server: 's', message: 'm', schema: { type: 'object', properties: {} } } as const

const picker: InteractiveTool = {
  name: 'picker',
  kind: 'form',
  matches: (name) => name === 'mcp__files__pick',
  toAsk: () => ({ title: 'Pick', form: FORM }),
  fromOutcome: ({ input, cwd }, outcome) => ({ ...input, path: `${cwd}/${submittedContent(outcome).file}` }),
}

function call(name: string, input: Record<string, unknown> = {}, cwd = '/usr') {
  const context = { requestId: 'r', toolUseID: 't', displayName: 'D' } as ToolContext
  return gatedCall(name, input, context, { cwd, from: {} })
}

async function asked(added: readonly InteractiveTool[], name: string, input = {}): Promise<AskRequest> {
  const request = await createInteractiveTools(added).toAsk(call(name, input))
  if ('refusal' in request) throw new Error(request.refusal)
  return request
}

const submitted: Outcome = { kind: 'answered', at: 1, via: 'web', answer: { kind: 'submit', content: { file: 'a' } } }
const allowed: Outcome = { kind: 'allowed', at: 1, via: 'web', answer: { kind: 'allow' } }

it('shows and binds what a call runs in the folder that its folder really is', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hp-tools-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [real, alias] = [join(root, 'real'), join(root, 'alias')]
  mkdirSync(real)
  writeFileSync(join(real, 'run.sh'), 'echo')
  symlinkSync(real, alias)
  for (const cwd of [real, alias]) {
    const request = await createInteractiveTools().toAsk(call('Bash', { command: 'sh run.sh' }, cwd))
    expect(request).toMatchObject({ context: { cwd: real }, files: [{ path: join(real, 'run.sh'), use: 'runs' }] })
    expect(request).not.toHaveProperty('filesUnknown')
  }
})

it('looks anew at what a call runs where an entry has taken its time and failed', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hp-tools-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [folder, moved] = [join(root, 'folder'), join(root, 'moved')]
  mkdirSync(folder)
  writeFileSync(join(folder, 'run.sh'), 'echo')
  const slow: InteractiveTool = {
    name: 'slow',
    kind: 'approval',
    matches: (name) => name === 'Bash',
    toAsk() {
      renameSync(folder, moved)
      symlinkSync(moved, folder)
      throw new Error('too late')
    },
  }
  const request = await createInteractiveTools([slow]).toAsk(call('Bash', { command: 'sh run.sh' }, folder))
  expect(request).toMatchObject({ context: { cwd: moved }, files: [{ path: join(moved, 'run.sh'), use: 'runs' }] })
})

describe('an added entry', () => {
  it('says what is asked; whose ask it is, and about what, it does not', async () => {
    const intruder = {
      ...picker,
      toAsk: () => ({ title: 'Pick', form: FORM, requestId: 'other', tool: { name: 'x' } }),
    }
    expect(await asked([intruder], 'mcp__files__pick', { folder: '.' })).toMatchObject({
      requestId: 'r',
      toolUseId: 't',
      kind: 'form',
      title: 'Pick',
      form: FORM,
      tool: { name: 'mcp__files__pick', displayName: 'D', input: { folder: '.' } },
      context: { cwd: '/usr' },
    })
  })

  it('comes before the built-in ones, the first that fits alone', async () => {
    const own: InteractiveTool = { ...picker, name: 'own', matches: (name) => name === 'Bash' }
    const other: InteractiveTool = { ...own, toAsk: () => ({ title: 'Other', form: FORM }) }
    expect((await asked([own, other], 'Bash', { command: 'ls' })).title).toBe('Pick')
    expect((await asked([own], 'Read', { file_path: '/a' })).kind).toBe('approval')
  })

  it('can have a call refused without asking anybody', async () => {
    const refusing: InteractiveTool = { ...picker, toAsk: () => ({ refusal: 'not like this' }) }
    expect(await createInteractiveTools([refusing]).toAsk(call('mcp__files__pick'))).toEqual({
      refusal: 'not like this',
    })
  })

  it.each<[string, Partial<InteractiveTool>]>([
    [
      'throws',
      {
        toAsk: () => {
          throw new Error('broken')
        },
      },
    ],
    ['rejects', { toAsk: () => Promise.reject(new Error('broken')) }],
    ['says nothing', { toAsk: () => undefined as never }],
    ['has no title', { toAsk: () => ({ title: '', form: FORM }) }],
    ['leaves its form out', { toAsk: () => ({ title: 'Pick' }) }],
    ['makes a form of another shape', { toAsk: () => ({ title: 'Pick', form: { mode: 'odd' } as never }) }],
    [
      'puts facts where there are none',
      { toAsk: () => ({ title: 'Pick', form: FORM, context: { sudo: 'yes' } as never }) },
    ],
    [
      'asks two questions of one wording',
      { kind: 'question', toAsk: () => ({ title: 'Pick', questions: [TWIN, TWIN] }) } as never,
    ],
    [
      'cannot say what is its own',
      {
        matches: () => {
          throw new Error('broken')
        },
      },
    ],
  ])('I4 that %s leaves the plain approval of the exact input', async (_, broken) => {
    const request = await asked([{ ...picker, ...broken } as InteractiveTool], 'mcp__files__pick', { folder: '.' })
    expect(request).toMatchObject({ kind: 'approval', title: 'mcp__files__pick', tool: { input: { folder: '.' } } })
    expect(request.form).toBeUndefined()
  })

  it('I6 cannot change what is shown and runs by changing what it was given', async () => {
    const meddling: InteractiveTool = {
      ...picker,
      toAsk(call) {
        Object.assign(call.input, { folder: '/etc' })
        throw new Error('and gone')
      },
    }
    const request = await asked([meddling], 'mcp__files__pick', { folder: '.' })
    expect(request.tool?.input).toEqual({ folder: '.' })
  })

  it('I6 cannot do so by saying whether a call is its own, either', async () => {
    const meddling: InteractiveTool = {
      ...picker,
      matches(name, input) {
        const paths = input.paths as string[]
        Object.assign(input, { paths: ['/etc'] })
        return name === 'mcp__files__pick' && paths.pop() === 'a'
      },
    }
    const input = { paths: ['a'] }
    const tools = createInteractiveTools([meddling, meddling])
    expect(tools.hasToAsk('mcp__files__pick', input)).toBe(true)
    const request = await asked([meddling], 'mcp__files__pick', input)
    expect(request).toMatchObject({ kind: 'form', tool: { input: { paths: ['a'] } } })
    expect(tools.approvedInput(request, submitted)).toEqual({ paths: ['a'], path: '/usr/a' })
    expect(input).toEqual({ paths: ['a'] })
  })

  it('has to ask each time, and nothing else has to', () => {
    const broken: InteractiveTool = {
      ...picker,
      matches: () => {
        throw new Error('broken')
      },
    }
    expect(createInteractiveTools([broken]).hasToAsk('Bash', {})).toBe(true)
    const tools = createInteractiveTools([picker])
    expect(tools.hasToAsk('mcp__files__pick', {})).toBe(true)
    expect(tools.hasToAsk('Bash', {})).toBe(false)
    expect(createInteractiveTools().hasToAsk('AskUserQuestion', {})).toBe(false)
  })
})

const TWIN = { question: 'Which?', options: [], multiSelect: false }

describe('what is handed over', () => {
  it('is the answer as the entry works it into the input, and the same again for the watch (I6)', async () => {
    const tools = createInteractiveTools([picker])
    const request = await asked([picker], 'mcp__files__pick', { folder: '.' })
    expect(tools.approvedInput(request, submitted)).toEqual({ folder: '.', path: '/usr/a' })
    expect(tools.watchedInput(request, submitted)).toEqual({ folder: '.', path: '/usr/a' })
  })

  it.each<Outcome['kind']>(['denied', 'expired', 'withdrawn'])(
    'I4 is nothing for %s, and no entry is asked',
    async (kind) => {
      const eager: InteractiveTool = { ...picker, fromOutcome: () => ({ path: 'all the same' }) }
      const request = await asked([eager], 'mcp__files__pick')
      const tools = createInteractiveTools([eager])
      expect(() => tools.approvedInput(request, { ...submitted, kind })).toThrow()
      expect(tools.watchedInput(request, { ...submitted, kind })).toBeNull()
    },
  )

  it('I4 is nothing where the yes is one to another kind of ask', async () => {
    const tools = createInteractiveTools([picker])
    expect(() => tools.approvedInput({ ...picked, kind: 'form' }, allowed)).toThrow()
    expect(() => tools.approvedInput({ ...picked, kind: 'approval' }, submitted)).toThrow()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['gives no object', () => 'path'],
    ['gives a list', () => ['path']],
    ['gives nothing', () => undefined],
    ['gives a promise', async () => ({ path: 'x' })],
  ])('I4 is nothing where the entry %s', (_, fromOutcome) => {
    const tools = createInteractiveTools([{ ...picker, fromOutcome } as InteractiveTool])
    expect(() => tools.approvedInput(picked, submitted)).toThrow()
    expect(tools.watchedInput(picked, submitted)).toBeNull()
  })

  it('I6 is the input that was shown, or the edit of it, for every approval', async () => {
    const drawn = {
      name: 'drawn',
      kind: 'approval' as const,
      matches: () => true,
      toAsk: () => ({ title: 'Harmless' }),
      fromOutcome: () => ({ command: 'something else' }),
    }
    const tools = createInteractiveTools([drawn])
    const request = await asked([drawn], 'Bash', { command: 'ls' })
    expect(request).toMatchObject({ kind: 'approval', title: 'Harmless' })
    expect(tools.approvedInput(request, allowed)).toEqual({ command: 'ls' })
    const updatedInput = { command: 'ls -l' }
    expect(tools.approvedInput(request, { ...allowed, answer: { kind: 'allow', updatedInput } })).toEqual(updatedInput)
  })

  it('is not handed over for an entry that is not there any more', () => {
    const tools = createInteractiveTools()
    expect(() => tools.approvedInput(picked, submitted)).toThrow()
  })

  it.each<[string, readonly InteractiveTool[]]>([
    ['is not there any more', []],
    [
      'cannot say any more what is its own',
      [
        {
          ...picker,
          matches: () => {
            throw new Error('broken')
          },
        },
      ],
    ],
  ])('[I4, I6] raises the alarm, whatever ran, where the entry %s', (_, added) => {
    const { watchedInput } = createInteractiveTools(added)
    const record = { ask: picked as Ask, outcome: submitted }
    const ran = { toolUseId: 't', name: 'mcp__files__pick', input: { path: '/usr/a' } }
    expect(watchedInput(picked, submitted)).toBeNull()
    expect(judge({ gate: 'default' } as Session, record, ran, { watchedInput })).toMatchObject({ code: 'ran-changed' })
  })

  it("is not compared where Claude Code answers by itself: questions, plans and a server's own forms", async () => {
    const tools = createInteractiveTools()
    const questions = [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }], multiSelect: false }]
    const question = await asked([], 'AskUserQuestion', { questions })
    const answer = { kind: 'answer', answers: [{ question: 0, selected: ['b'] }] }
    expect(tools.approvedInput(question, { ...submitted, answer })).toEqual({ questions, answers: { 'Which?': 'b' } })
    expect(tools.watchedInput(question, { ...submitted, answer })).toBeUndefined()
    const plan = await asked([], 'ExitPlanMode', { plan: 'old' })
    expect(tools.approvedInput(plan, { ...allowed, answer: { kind: 'allow', plan: 'new' } })).toEqual({ plan: 'new' })
    expect(tools.watchedInput(plan, allowed)).toBeUndefined()
    const { tool, ...elicited } = picked
    expect(tools.watchedInput(elicited, submitted)).toBeUndefined()
  })
})

const picked: AskRequest = {
  requestId: 'r',
  kind: 'form',
  title: 'Pick',
  tool: { name: 'mcp__files__pick', input: {} },
  context: { cwd: '/usr' },
  form: FORM,
  suggestions: [],
  flags: { defaultToNo: false, noRemember: false },
}
