import type { ModelInfo, SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { expect, it } from 'vitest'
import { createModelCheck } from './model-check.ts'

const begins = (model: string) => ({ type: 'system', subtype: 'init', model }) as unknown as SDKMessage
const offered = [{ value: 'sonnet', resolvedModel: 'claude-sonnet-5' }] as unknown as ModelInfo[]

const check = (wanted: string | undefined, models = async () => offered) =>
  createModelCheck({ wanted: () => wanted, models })

it.each([
  [undefined, 'claude-opus-5'],
  ['claude-opus-5', 'claude-opus-5'],
  ['sonnet', 'claude-sonnet-5'],
])('a conversation that goes on with the model that was set (%s) says nothing', async (wanted, now) => {
  expect(await check(wanted)(begins(now))).toEqual([])
})

it.each(['claude-opus-4', 'sonnet'])('one that goes on with another model than %s says so once', async (wanted) => {
  const look = check(wanted)
  expect(await look({ type: 'result' } as unknown as SDKMessage)).toEqual([])
  const text = expect.stringContaining(`Claude Code did not take up ${wanted}`)
  expect(await look(begins('claude-opus-5'))).toMatchObject([{ item: { type: 'notice', level: 'error', text } }])
  expect(await look(begins('claude-opus-5'))).toEqual([])
})

it('says so where it cannot be told what a short name stands for', async () => {
  const look = check('sonnet', () => Promise.reject(new Error('late')))
  expect(await look(begins('claude-sonnet-5'))).toHaveLength(1)
})
