import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleFormsServer } from '@holdpoint/testing/bundle-forms-server'
import { launch, startRealClaude } from '@holdpoint/testing/real-claude'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  ask,
  cutMidStream,
  fillForm,
  multiQuestion,
  openLink,
  planSteps,
  planUntilApproved,
  reactToDenial,
  singleQuestion,
  steps,
  subagents,
  turns,
} from './scenarios.ts'
import { say, use } from './script.ts'

const touch = (name: string) => use('Bash', { command: `touch ${name}` })

let folder = ''
let forms = { command: '', args: [] as string[] }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-forms-'))
  forms = await bundleFormsServer(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.concurrent('scenarios, played by the real Claude Code', { timeout: 30_000 }, () => {
  test('steps run in order and anew for the next message', async () => {
    await using claude = await startRealClaude({
      script: turns(steps([touch('a'), [touch('b'), touch('c')]], 'first'), steps([touch('d')], 'second')),
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ result: 'first' })
    expect(await claude.files()).toEqual(['a', 'b', 'c'])
    claude.send('more')
    expect(await claude.result(2)).toMatchObject({ result: 'second' })
    expect(await claude.files()).toEqual(['a', 'b', 'c', 'd'])
  })

  test.each([false, true])('subagents do their own tasks, in the background: %s', async (background) => {
    const tasks = ['one', 'two'].map((name) => ({ prompt: `Task ${name}.`, steps: [touch(name)] }))
    await using claude = await startRealClaude({ script: subagents(tasks, { background }), options: launch })
    await claude.until(() => (claude.asks.length === 2 ? true : undefined), 'two asks')
    await claude.result()
    expect(claude.asks.every((seen) => seen.context.agentID)).toBe(true)
    await vi.waitFor(async () => expect(await claude.files()).toEqual(['one', 'two']), { timeout: 10_000 })
  })

  test('a plan is written where Claude Code wants it, and shown', async () => {
    await using claude = await startRealClaude({ script: steps(planSteps('# Plan\n\n1. a\n')), options: launch })
    await claude.result()
    expect(claude.asks.map((seen) => [seen.name, seen.input.plan])).toEqual([['ExitPlanMode', '# Plan\n\n1. a\n']])
  })

  test('a plan that is sent back comes again with the comment', async () => {
    await using claude = await startRealClaude({
      script: planUntilApproved('# Plan'),
      answer: ({ input }) =>
        String(input.plan).includes('smaller')
          ? { behavior: 'allow', updatedInput: input }
          : { behavior: 'deny', message: 'smaller steps' },
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ result: 'The plan is approved.' })
    expect(claude.asks).toHaveLength(2)
    expect(claude.asks[1]?.input.plan).toContain('> smaller steps')
  })

  test('a denial is heard and something else is done', async () => {
    await using claude = await startRealClaude({
      script: reactToDenial(touch('a'), touch('b')),
      answer: ({ input }) =>
        input.command === 'touch a'
          ? { behavior: 'deny', message: 'not a' }
          : { behavior: 'allow', updatedInput: input },
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ result: 'I did something else instead.' })
    expect(await claude.files()).toEqual(['b'])
    expect(JSON.stringify(claude.messages)).toContain('I was told: not a')
  })

  test('questions arrive with their previews', async () => {
    await using claude = await startRealClaude({ script: steps([ask(singleQuestion, multiQuestion)]), options: launch })
    await claude.result()
    expect(claude.asks[0]?.input).toEqual({ questions: [singleQuestion, multiQuestion] })
  })

  test('the forms server elicits a form and a link', async () => {
    const elicited: unknown[] = []
    await using claude = await startRealClaude({
      script: steps([fillForm(), openLink()]),
      options: {
        ...launch,
        mcpServers: { forms: { type: 'stdio', ...forms } },
        onElicitation: async (request) => {
          elicited.push(request)
          return request.mode === 'url'
            ? { action: 'decline' }
            : { action: 'accept', content: { name: 'Ada', count: 2 } }
        },
      },
    })
    await claude.result()
    expect(elicited).toMatchObject([
      { mode: 'form', serverName: 'forms', requestedSchema: { required: ['name'] } },
      { mode: 'url', url: 'https://example.invalid/sign-in' },
    ])
    expect(claude.toolResults().map((made) => made.text)).toEqual(['accept {"name":"Ada","count":2}', 'decline'])
  })

  test('a reply that is cut short is tried again', async () => {
    await using claude = await startRealClaude({
      script: turns(cutMidStream('I begin'), () => say('better')),
      env: { CLAUDE_CODE_MAX_RETRIES: '1' },
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ is_error: true, terminal_reason: 'api_error' })
    expect(claude.model.requests.length).toBeGreaterThan(1)
    claude.send('go on')
    expect(await claude.result(2)).toMatchObject({ is_error: false, result: 'better' })
  })
})
