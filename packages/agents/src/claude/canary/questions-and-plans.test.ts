import { readFile, writeFile } from 'node:fs/promises'
import type { Options, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { ask, multiQuestion, planSteps, singleQuestion, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { launch, type SeenAsk, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { canary } from './facts.ts'

canary()

async function answered(answer: (seen: SeenAsk) => PermissionResult, options: Options = launch) {
  await using claude = await startRealClaude({ script: steps([ask(singleQuestion, multiQuestion)]), answer, options })
  await claude.result()
  return { asks: claude.asks.length, result: claude.toolResults()[0] }
}

const withAnswers = (answers: Record<string, string> | undefined) => (seen: SeenAsk) => ({
  behavior: 'allow' as const,
  updatedInput: { ...seen.input, ...(answers && { answers }) },
})

const single = singleQuestion.question
const multi = multiQuestion.question

describe.concurrent('a question', () => {
  test('E22: answers are keyed by the question’s text, several joined by a comma', async () => {
    const { result } = await answered(withAnswers({ [single]: 'Two columns', [multi]: 'Store, Page' }))
    expect(result).toMatchObject({ isError: false })
    expect(result?.text).toContain(`"${single}"="Two columns"`)
    expect(result?.text).toContain(`"${multi}"="Store, Page"`)
  })

  test('E22: an answer that is no option goes through as it is', async () => {
    const { result } = await answered(withAnswers({ [single]: 'My own <b>words</b>', [multi]: 'Store' }))
    expect(result?.text).toContain(`"${single}"="My own <b>words</b>"`)
  })

  test.each([
    ['no answers', undefined],
    ['an index for a key', { 0: 'Two columns', 1: 'Store' }],
    ['a wrong key', { 'Another question?': 'Two columns' }],
  ])('E22: %s reads "did not answer", and is no error', async (_, answers) => {
    const { result } = await answered(withAnswers(answers))
    expect(result).toMatchObject({ isError: false, text: expect.stringContaining('did not answer') })
    expect(result?.text).not.toContain('Two columns')
  })

  test('E22: a denial is an error with our words', async () => {
    const { result } = await answered(() => ({ behavior: 'deny', message: 'skipped' }))
    expect(result).toMatchObject({ isError: true, text: 'skipped' })
  })

  test('E23: it asks even when it is an allowed tool', async () => {
    const { asks } = await answered(withAnswers({ [single]: 'x', [multi]: 'y' }), {
      ...launch,
      allowedTools: ['AskUserQuestion'],
    })
    expect(asks).toBe(1)
  })

  test.each(['acceptEdits', 'plan', 'bypassPermissions'] as const)('E23: it asks in the mode %s', async (mode) => {
    const { asks } = await answered(withAnswers({ [single]: 'x', [multi]: 'y' }), {
      ...launch,
      permissionMode: mode,
      allowDangerouslySkipPermissions: true,
    })
    expect(asks).toBe(1)
  })

  test('E23: it is refused unasked in the mode dontAsk', async () => {
    const { asks, result } = await answered(withAnswers({}), { ...launch, permissionMode: 'dontAsk' })
    expect(asks).toBe(0)
    expect(result?.isError).toBe(true)
  })
})

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

  test('changed by the person, it reaches the agent as such', async () => {
    await using claude = await startRealClaude({
      script: planned,
      answer: ({ input }) => ({ behavior: 'allow', updatedInput: { ...input, plan: '# My own plan' } }),
      options: launch,
    })
    await claude.result()
    expect(claude.toolResults().at(-1)?.text).toContain('## Approved Plan (edited by user):\n# My own plan')
  })

  test('allowed unchanged, it is what the file holds by then, not what was shown', async () => {
    await using claude = await startRealClaude({
      script: planned,
      answer: async ({ input }) => {
        await writeFile(String(input.planFilePath), '# Swapped')
        return { behavior: 'allow', updatedInput: input }
      },
      options: launch,
    })
    await claude.result()
    expect(claude.toolResults().at(-1)?.text).toContain('# Swapped')
  })

  test('denied, it is an error with our words, and plan mode stays', async () => {
    await using claude = await startRealClaude({
      script: planned,
      answer: () => ({ behavior: 'deny', message: 'smaller steps' }),
      options: launch,
    })
    await claude.result()
    expect(claude.toolResults().at(-1)).toMatchObject({ isError: true, text: 'smaller steps' })
    const modes = claude.messages.flatMap((message) =>
      message.type === 'system' && message.subtype === 'status' && message.permissionMode
        ? [message.permissionMode]
        : [],
    )
    expect(modes).toEqual(['plan'])
  })
})
