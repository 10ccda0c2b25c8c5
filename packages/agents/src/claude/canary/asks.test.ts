import { setTimeout as sleep } from 'node:timers/promises'
import type { HookCallback, PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { ask, multiQuestion, planSteps, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { askForAll, launch, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { allow, canary, firstAsk, held, touch, verdicts } from './facts.ts'

canary()

describe.concurrent('an ask', () => {
  const hold = async (milliseconds: number) => {
    await using claude = await startRealClaude({
      script: steps([touch('made')]),
      answer: async (seen) => {
        await sleep(milliseconds)
        return allow(seen)
      },
      options: launch,
    })
    await firstAsk(claude)
    // The rig's own patience is shorter than the longest hold.
    await sleep(milliseconds)
    await claude.result()
    expect(claude.asks[0]?.context.signal.aborted).toBe(false)
    expect(verdicts(claude)).toEqual(['asked, ran'])
  }

  test('E1: waits 5 seconds for its answer', () => hold(5_000))

  test.runIf(process.env.HOLDPOINT_LONG)('E1: waits 21 minutes for its answer', { timeout: 1_500_000 }, () =>
    hold(21 * 60_000),
  )

  test('E2: allowed without updatedInput runs the original input', async () => {
    await using claude = await startRealClaude({
      script: steps([touch('made')]),
      answer: () => ({ behavior: 'allow' }),
      options: launch,
    })
    await claude.result()
    expect(await claude.files()).toEqual(['made'])
  })

  test('carries what a card needs', async () => {
    await using claude = await startRealClaude({ script: steps([touch('made')]), options: launch })
    await claude.result()
    expect(claude.asks[0]).toMatchObject({
      name: 'Bash',
      input: { command: 'touch made' },
      context: {
        requestId: expect.any(String),
        toolUseID: claude.toolResults()[0]?.id,
        displayName: 'Bash',
        blockedPath: `${claude.cwd}/made`,
        suggestions: [
          { type: 'addRules', destination: 'localSettings' },
          { type: 'addDirectories', destination: 'session' },
          { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
        ],
      },
    })
  })

  test('E14: parallel Bash calls ask one after another; a denial of one does not stop the next', async () => {
    const openAtOnce: number[] = []
    let open = 0
    await using claude = await startRealClaude({
      script: steps([[touch('a'), touch('b'), touch('c')]]),
      answer: async (seen): Promise<PermissionResult> => {
        openAtOnce.push(++open)
        await sleep(50)
        open -= 1
        return seen.input.command === 'touch b' ? { behavior: 'deny', message: 'no' } : allow(seen)
      },
      options: launch,
    })
    await claude.result()
    expect(openAtOnce).toEqual([1, 1, 1])
    expect(await claude.files()).toEqual(['a', 'c'])
  })

  test('parallel calls that only read are open at the same time', async () => {
    const release = held<void>()
    const fetches = [1, 2, 3].map((page) => use('WebFetch', { url: `http://127.0.0.1:9/${page}`, prompt: 'x' }))
    await using claude = await startRealClaude({
      script: steps([fetches]),
      answer: async () => {
        await release.answer
        return { behavior: 'deny', message: 'no' }
      },
      options: launch,
    })
    await claude.until(() => (claude.asks.length === 3 ? true : undefined), 'three open asks')
    expect(new Set(claude.asks.map((seen) => seen.context.requestId)).size).toBe(3)
    release.give()
    await claude.result()
  })

  test('what ran is what was allowed, but for ExitPlanMode', async () => {
    const ran = new Map<string, unknown>()
    const note: HookCallback = async (input, id) => {
      ran.set(id ?? '', 'tool_input' in input ? input.tool_input : undefined)
      return {}
    }
    const answers = { [multiQuestion.question]: 'Store, Page' }
    const allowed = new Map<string, unknown>()
    await using claude = await startRealClaude({
      script: steps([
        touch('a'),
        use('Bash', { command: 'touch b', timeout: '5000' }),
        use('Write', { file_path: 'w.txt', content: 'one\ntwo\n' }),
        use('Edit', { file_path: 'w.txt', old_string: 'two', new_string: 'three   ' }),
        use('Read', { file_path: 'w.txt' }),
        use('WebFetch', { url: 'http://127.0.0.1:9/', prompt: 'x' }),
        ask(multiQuestion),
        ...planSteps('# Plan\n'),
      ]),
      answer: ({ name, input, context }) => {
        const edited = input.command === 'touch a' ? { ...input, command: 'touch edited  ' } : input
        const updatedInput = name === 'AskUserQuestion' ? { ...input, answers } : edited
        allowed.set(context.toolUseID, updatedInput)
        return { behavior: 'allow', updatedInput }
      },
      options: {
        ...launch,
        hooks: { ...askForAll, PostToolUse: [{ hooks: [note] }], PostToolUseFailure: [{ hooks: [note] }] },
      },
    })
    await claude.result()
    const plan = claude.asks.at(-1)?.context.toolUseID ?? ''
    expect(claude.asks.map((seen) => seen.name)).toEqual([
      ...['Bash', 'Bash', 'Write', 'Edit', 'Read', 'WebFetch', 'AskUserQuestion'],
      ...['EnterPlanMode', 'Write', 'ExitPlanMode'],
    ])
    expect(ran.get(plan)).toEqual({})
    ran.delete(plan)
    allowed.delete(plan)
    expect(ran).toEqual(allowed)
    expect(claude.asks[1]?.input).toEqual({ command: 'touch b', timeout: 5000 })
    expect(claude.asks[3]?.input).toEqual({
      file_path: `${claude.cwd}/w.txt`,
      old_string: 'two',
      new_string: 'three',
      replace_all: false,
    })
    expect(await claude.files()).toContain('edited')
  })

  test('a result says how it was decided', async () => {
    await using claude = await startRealClaude({
      script: steps([use('Bash', { command: 'ls' }), touch('a'), touch('b')]),
      answer: (seen) => (seen.input.command === 'touch b' ? { behavior: 'deny', message: 'no' } : allow(seen)),
      options: launch,
    })
    const result = await claude.result()
    const meta = claude.lines.flatMap((line) => line.tool_result_meta ?? [])
    expect(meta).toMatchObject([
      { permission_decision: { decision: 'accept', source: 'config' } },
      { permission_decision: { decision: 'accept', source: 'user_temporary' } },
      { permission_decision: { decision: 'reject', source: 'user_reject' } },
    ])
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch b' } }])
  })
})
