import type { PermissionResult } from '@anthropic-ai/claude-agent-sdk'
import { hangMidStream, steps, turns } from '@holdpoint/demo-model/scenarios'
import { say } from '@holdpoint/demo-model/script'
import { gone, launch, type SeenAsk, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { allow, canary, firstAsk, held, touch } from './facts.ts'

canary()

/** One open ask, the way to answer it late, and a second turn to see that nothing of it ran meanwhile. */
async function openAsk(abortController?: AbortController) {
  const late = held<PermissionResult>()
  const claude = await startRealClaude({
    script: turns(steps([touch('late')]), () => say('still here')),
    answer: () => late.answer,
    options: { ...launch, ...(abortController && { abortController }) },
  })
  const ask = await firstAsk(claude)
  return { claude, ask, answerLate: () => late.give(allow(ask)) }
}

function abortOf({ context: { signal } }: SeenAsk): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

describe.concurrent('while an ask is open', () => {
  test('E15: interrupt() fires its signal, and a later allow has no effect', async () => {
    const { claude, ask, answerLate } = await openAsk()
    await using _ = claude
    const aborted = abortOf(ask)
    await claude.query.interrupt()
    await aborted
    answerLate()
    expect(await claude.result()).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' })
    claude.send('and now?')
    expect(await claude.result(2)).toMatchObject({ subtype: 'success', result: 'still here' })
    expect(await claude.files()).toEqual([])
  })

  test('E16: abort() fires its signal and ends the agent, and a later allow has no effect', async () => {
    const controller = new AbortController()
    const { claude, ask, answerLate } = await openAsk(controller)
    await using _ = claude
    const aborted = abortOf(ask)
    controller.abort()
    await aborted
    answerLate()
    expect(await claude.ended).toMatchObject({ errorClass: 'aborted' })
    await gone(claude.child())
    expect(await claude.files()).toEqual([])
  })

  test('E16: close() fires its signal and ends the agent, and a later allow has no effect', async () => {
    const { claude, ask, answerLate } = await openAsk()
    await using _ = claude
    const aborted = abortOf(ask)
    claude.query.close()
    await aborted
    answerLate()
    await claude.ended
    await gone(claude.child())
    expect(await claude.files()).toEqual([])
  })

  test('E17: the end of the input leaves it open, and a later allow runs', async () => {
    const { claude, ask, answerLate } = await openAsk()
    await using _ = claude
    claude.endInput()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(ask.context.signal.aborted).toBe(false)
    answerLate()
    await claude.result()
    expect(await claude.files()).toEqual(['late'])
  })

  test('E14: deny with interrupt ends the turn, stops the calls beside it and drops our message', async () => {
    await using claude = await startRealClaude({
      script: turns(steps([[touch('a'), touch('b'), touch('c')]]), () => say('still here')),
      answer: (ask) =>
        ask.input.command === 'touch b' ? { behavior: 'deny', message: 'our words', interrupt: true } : allow(ask),
      options: launch,
    })
    expect(await claude.result()).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' })
    expect(await claude.files()).toEqual(['a'])
    expect(claude.asks).toHaveLength(2)
    claude.send('and now?')
    expect(await claude.result(2)).toMatchObject({ result: 'still here' })
    const heard = JSON.stringify(claude.model.requests.at(-1)?.messages)
    expect(heard).not.toContain('our words')
    expect(heard).toContain("The user doesn't want to proceed")
  })
})

test('interrupt() in the middle of a reply ends the turn, and the next message works', async () => {
  await using claude = await startRealClaude({
    script: turns(hangMidStream('I begin to'), () => say('still here')),
    options: { ...launch, includePartialMessages: true },
  })
  await claude.until(
    () => claude.messages.find((message) => JSON.stringify(message).includes('I begin to')),
    'the beginning of the reply',
  )
  await claude.query.interrupt()
  expect(await claude.result()).toMatchObject({ subtype: 'error_during_execution' })
  claude.send('and now?')
  expect(await claude.result(2)).toMatchObject({ result: 'still here' })
})
