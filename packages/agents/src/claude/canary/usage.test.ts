import { type Reply, type Script, say, use } from '@holdpoint/demo-model/script'
import type { Usage } from '@holdpoint/schema/usage'
import { launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { expect, test } from 'vitest'
import { runningTotal } from '../sdk/running-total.ts'
import { createUsageReadings } from '../sdk/usage-readings.ts'
import { canary } from './facts.ts'

canary()

/** What each call of the model counts as. */
function costing(reply: Reply, [input, output, read, written]: readonly [number, number, number, number]): Reply {
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
  return { ...reply, usage }
}

const script: Script = (call) => {
  if (call.subagent) return costing(say('done'), [5000, 500, 0, 0])
  const isBegun = call.rounds.length > 0
  if (call.lastUserText === 'subagent' && !isBegun) {
    const agent = use('Agent', { description: 'a task', prompt: 'Wait.', run_in_background: false })
    return costing({ content: [agent] }, [1000, 100, 0, 0])
  }
  if (call.lastUserText === 'tool' && !isBegun)
    return costing({ content: [use('Bash', { command: 'touch a' })] }, [20_000, 300, 100_000, 4000])
  return costing(say('hello'), [2000, 100, 100, 50])
}

async function reported(claude: RealClaude, nth: number): Promise<Usage | undefined> {
  const { total_cost_usd: costUsd, modelUsage: models } = await claude.result(nth)
  return runningTotal({ costUsd, models })
}

const tokens = (input: number, output: number, read: number, written: number) => ({
  costUsd: expect.any(Number),
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: read,
  cacheWriteTokens: written,
})

test('results carry a running total of all calls, subagents and compaction included; /clear begins it anew', async () => {
  await using claude = await startRealClaude({ script, options: launch })
  expect(await reported(claude, 1)).toEqual(tokens(2000, 100, 100, 50))
  claude.send('subagent')
  expect(await reported(claude, 2)).toEqual(tokens(10_000, 800, 200, 100))
  claude.send('/compact')
  expect((await reported(claude, 3))?.inputTokens).toBeGreaterThan(10_000)
  expect(claude.messages.some((message) => 'subtype' in message && message.subtype === 'compact_boundary')).toBe(true)
  claude.send('/clear')
  expect(await reported(claude, 4)).toEqual({ ...tokens(0, 0, 0, 0), costUsd: 0 })
  claude.send('go on')
  expect(await reported(claude, 5)).toEqual(tokens(2000, 100, 100, 50))
})

test('while a hook waits, the agent says what it has used until this very call, and how full its context is', async () => {
  let readings: unknown
  await using claude: RealClaude = await startRealClaude({
    script,
    prompt: 'tool',
    options: {
      ...launch,
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async () => {
                const { total, context } = createUsageReadings(claude.query)
                readings = [await total(), ...(await context())]
                return {}
              },
            ],
          },
        ],
      },
    },
  })
  await claude.result()
  expect(readings).toMatchObject([
    tokens(20_000, 300, 100_000, 4000),
    { type: 'context', context: { tokens: expect.any(Number), window: 1_000_000 } },
  ])
  const [, { context }] = readings as [unknown, { context: { tokens: number } }]
  expect(context.tokens).toBeGreaterThanOrEqual(124_000)
})

test.each(['SIGTERM', 'SIGKILL'] as const)('after %s a conversation says where it counts on from', async (signal) => {
  await using first = await startRealClaude({ script, options: launch })
  const { session_id: resume } = await first.result()
  const folders = { home: first.home, cwd: first.cwd }
  first.child().kill(signal)
  await first.ended
  await using second = await startRealClaude({ script, folders, prompt: null, options: { ...launch, resume } })
  await second.query.initializationResult()
  const before = await createUsageReadings(second.query).total()
  // What it had not saved when it was killed is lost.
  expect(before.inputTokens).toBeOneOf(signal === 'SIGTERM' ? [2000] : [0, 2000])
  second.send('go on')
  expect((await reported(second, 1))?.inputTokens).toBe(before.inputTokens + 2000)
})
