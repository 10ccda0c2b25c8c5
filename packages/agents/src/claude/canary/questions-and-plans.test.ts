import { readFile, writeFile } from 'node:fs/promises'
import type { Options, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { ask, multiQuestion, planSteps, singleQuestion, steps, turns } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { launch, type RealClaude, type SeenAsk, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { modeUpdates } from '../asks/mode-after-plan.ts'
import { allow, canary, deny, touch } from './facts.ts'

canary()

type Answering = (seen: SeenAsk) => PermissionResult

/** One agent that asks the same for every answer there is, and what each came to. */
async function answered(answers: readonly Answering[], options: Options = launch) {
  const left = [...answers]
  await using claude = await startRealClaude({
    script: steps(answers.map(() => ask(singleQuestion, multiQuestion))),
    answer: (seen) => left.shift()?.(seen) ?? expect.fail('asked too often'),
    options,
  })
  await claude.result()
  return { asks: claude.asks.length, results: claude.toolResults() }
}

const withAnswers = (answers: Record<string, string> | undefined) => (seen: SeenAsk) => ({
  behavior: 'allow' as const,
  updatedInput: { ...seen.input, ...(answers && { answers }) },
})

const single = singleQuestion.question
const multi = multiQuestion.question

describe.concurrent('a question', () => {
  test('E22: answers are keyed by the question’s text; others read "did not answer"; a denial is an error', async () => {
    const { results } = await answered([
      withAnswers({ [single]: 'Two columns', [multi]: 'Store, Page' }),
      withAnswers({ [single]: 'My own <b>words</b>', [multi]: 'Store' }),
      withAnswers(undefined),
      withAnswers({ 0: 'Two columns', 1: 'Store' }),
      withAnswers({ 'Another question?': 'Two columns' }),
      () => ({ behavior: 'deny', message: 'skipped' }),
    ])
    const [keyed, free, ...rest] = results
    // Several are joined by a comma.
    expect(keyed).toMatchObject({ isError: false })
    expect(keyed?.text).toContain(`"${single}"="Two columns"`)
    expect(keyed?.text).toContain(`"${multi}"="Store, Page"`)
    // What is no option goes through as it is.
    expect(free?.text).toContain(`"${single}"="My own <b>words</b>"`)
    const none = { isError: false, text: expect.stringContaining('did not answer') }
    expect(rest).toMatchObject([none, none, none, { isError: true, text: 'skipped' }])
    for (const { text } of rest) expect(text).not.toContain('Two columns')
  })

  test('E23: it asks even when it is an allowed tool', async () => {
    const { asks } = await answered([withAnswers({ [single]: 'x', [multi]: 'y' })], {
      ...launch,
      allowedTools: ['AskUserQuestion'],
    })
    expect(asks).toBe(1)
  })

  test.each(['acceptEdits', 'plan', 'bypassPermissions'] as const)('E23: it asks in the mode %s', async (mode) => {
    const { asks } = await answered([withAnswers({ [single]: 'x', [multi]: 'y' })], {
      ...launch,
      permissionMode: mode,
      allowDangerouslySkipPermissions: true,
    })
    expect(asks).toBe(1)
  })

  test('E23: it is refused unasked in the mode dontAsk', async () => {
    const { asks, results } = await answered([withAnswers({})], { ...launch, permissionMode: 'dontAsk' })
    expect(asks).toBe(0)
    expect(results).toMatchObject([{ isError: true }])
  })
})

/** The modes that the agent has told of since its start. */
function statuses({ messages }: RealClaude): string[] {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'status' && message.permissionMode ? [message.permissionMode] : [],
  )
}

describe.concurrent('a plan', () => {
  const planned = steps(planSteps('# Plan\n\n1. as shown\n'))

  test('arrives with its text and its file, and wants a person', async () => {
    await using claude = await startRealClaude({ script: planned, options: launch })
    await claude.result()
    const [seen] = claude.asks
    expect(claude.asks).toHaveLength(1)
    expect(seen).toMatchObject({
      name: 'ExitPlanMode',
      input: { plan: '# Plan\n\n1. as shown\n', planFilePath: expect.stringMatching(/\.md$/) },
      context: { requiresUserInteraction: true },
    })
    expect(await readFile(String(seen?.input.planFilePath), 'utf8')).toBe('# Plan\n\n1. as shown\n')
    expect(claude.toolResults().at(-1)?.text).toContain('## Approved Plan:\n# Plan\n\n1. as shown')
  })

  test('arrives empty when none was written', async () => {
    await using claude = await startRealClaude({
      script: steps([use('EnterPlanMode'), use('ExitPlanMode')]),
      options: launch,
    })
    await claude.result()
    expect(claude.asks[0]?.input).toEqual({})
  })

  test('changed by the person, it reaches the agent as such; unchanged, it is what the file holds by then', async () => {
    await using claude = await startRealClaude({
      script: turns(planned, planned),
      answer: async ({ input }) => {
        if (claude.asks.length === 1) return { behavior: 'allow', updatedInput: { ...input, plan: '# My own plan' } }
        await writeFile(String(input.planFilePath), '# Swapped')
        return { behavior: 'allow', updatedInput: input }
      },
      options: launch,
    })
    await claude.result()
    expect(claude.toolResults().at(-1)?.text).toContain('## Approved Plan (edited by user):\n# My own plan')
    claude.send('again')
    await claude.result(2)
    expect(claude.asks[1]?.input).toMatchObject({ plan: '# Plan\n\n1. as shown\n' })
    expect(claude.toolResults().at(-1)?.text).toContain('# Swapped')
  })

  test.each([
    ['acceptEdits', 'default', 'default'],
    ['acceptEdits', 'bypassPermissions', 'default'],
    ['bypassPermissions', 'acceptEdits', 'acceptEdits'],
  ] as const)('T38 entered from %s and allowed with %s, goes on in %s', async (from, chosen, then) => {
    await using claude = await startRealClaude({
      script: steps([...planSteps('# Plan'), touch('made.txt')]),
      answer: (seen) =>
        seen.name === 'ExitPlanMode' ? { ...allow(seen), updatedPermissions: modeUpdates(chosen) } : deny(),
      options: { ...launch, permissionMode: from, allowDangerouslySkipPermissions: from === 'bypassPermissions' },
    })
    await claude.result()
    expect(statuses(claude)).toEqual(['plan', then])
    expect(claude.asks.some(({ name }) => name === 'Bash')).toBe(then === 'default')
  })

  test('denied, it is an error with our words, and plan mode stays', async () => {
    await using claude = await startRealClaude({
      script: planned,
      answer: () => ({ behavior: 'deny', message: 'smaller steps' }),
      options: launch,
    })
    await claude.result()
    expect(claude.toolResults().at(-1)).toMatchObject({ isError: true, text: 'smaller steps' })
    expect(statuses(claude)).toEqual(['plan'])
  })
})
