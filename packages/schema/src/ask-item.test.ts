import { expect, it } from 'vitest'
import type { Ask } from './ask.ts'
import { askItem } from './ask-item.ts'

const ask = (more: Partial<Ask>) => ({ id: 'ask_1', raisedAt: 1, subagent: 'agent-1', ...more }) as Ask

it('T27 puts what a subagent asks among what it does, and nothing that a program asks', () => {
  expect(askItem(ask({}))).toMatchObject({ type: 'ask', askId: 'ask_1', subagent: 'agent-1' })
  expect(askItem(ask({ raisedBy: 'dev_ci' }))).not.toHaveProperty('subagent')
})
