import { once } from 'node:events'
import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { type Step, steps, turns } from '@holdpoint/demo-model/scenarios'
import { say } from '@holdpoint/demo-model/script'
import { launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { canary, firstAsk, touch } from './facts.ts'

canary()

const vendorId = (claude: RealClaude) =>
  claude.until(() => claude.messages.find((message) => message.type === 'system')?.session_id, 'the session id')

/** The agent sees what it would see if the process with the SDK were killed: both pipes close. */
async function killSdkSide(claude: RealClaude): Promise<void> {
  const child = claude.child()
  const exit = once(child, 'exit')
  child.stdin?.destroy()
  child.stdout?.destroy()
  // By itself, which takes it seconds.
  await exit
}

describe.concurrent('when the process with the SDK dies', () => {
  test('E18: an open ask is spent: the call does not run, the agent makes one more call and exits', async () => {
    await using claude = await startRealClaude({
      script: steps([touch('made')]),
      answer: () => new Promise(() => {}),
      options: launch,
    })
    await firstAsk(claude)
    expect(claude.model.requests).toHaveLength(1)
    await killSdkSide(claude)
    expect(claude.child().signalCode).toBeNull()
    expect(await claude.files()).toEqual([])
    expect(claude.model.requests).toHaveLength(2)
    expect(JSON.stringify(claude.model.requests[1]?.messages)).toContain(
      'Tool permission stream closed before response received',
    )
  })

  test('[F7] E19: the session resumes well formed, and the ask is gone', async () => {
    await using first = await startRealClaude({
      script: steps([touch('made')]),
      answer: () => new Promise(() => {}),
      options: launch,
    })
    await firstAsk(first)
    const resume = await vendorId(first)
    await killSdkSide(first)
    await using second = await startRealClaude({
      script: turns(steps([touch('made')]), () => say('resumed')),
      folders: first,
      prompt: 'go on',
      options: { ...launch, resume },
    })
    expect(await second.result()).toMatchObject({ subtype: 'success', result: 'resumed' })
    expect(second.asks).toEqual([])
    const messages = second.model.requests[0]?.messages ?? []
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
    expect(calls).toHaveLength(1)
    expect(results).toEqual(calls)
  })
})

describe.concurrent('a call put off by `defer`', () => {
  const deciding = (permissionDecision: 'defer' | 'ask'): Options => ({
    ...launch,
    hooks: {
      PreToolUse: [
        { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } })] },
      ],
    },
  })

  async function afterResume(step: Step) {
    const script = steps([step])
    await using first = await startRealClaude({ script, options: deciding('defer') })
    const deferred = await first.result()
    const resume = await vendorId(first)
    first.endInput()
    await first.ended
    await using second = await startRealClaude({
      script: turns(script, () => say('resumed')),
      folders: first,
      prompt: 'go on',
      options: { ...deciding('ask'), resume },
    })
    await second.result()
    // The call can start before the SDK has said who it is. Its hook is then passed over, and the ask comes twice.
    const distinct = (field: 'requestId' | 'toolUseID') => [...new Set(second.asks.map((ask) => ask.context[field]))]
    return { deferred, requests: distinct('requestId'), calls: distinct('toolUseID'), files: await second.files() }
  }

  test('E20: asks again after a resume, under the same id, and runs', async () => {
    const { deferred, requests, calls, files } = await afterResume(touch('made'))
    expect(deferred).toMatchObject({ stop_reason: 'tool_deferred', deferred_tool_use: { id: calls[0] } })
    expect([requests.length, calls.length]).toEqual([1, 1])
    expect(files).toEqual(['made'])
  })

  test('[F8] E21: is lost when it is not the last of its message', async () => {
    const { requests, files } = await afterResume([touch('a'), touch('b')])
    expect(requests).toHaveLength(1)
    expect(files).toEqual(['b'])
  })
})
