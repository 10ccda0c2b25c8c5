import { expect, it } from 'vitest'
import { lineFacts } from './transcript-facts.ts'

const line = (value: unknown) => Buffer.from(JSON.stringify(value))
const facts = (value: unknown) => lineFacts(line(value), () => 'Bash').facts
const result = (more: object, block: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'text', ...block }] },
  ...more,
})

it('reads calls, of the agent and of its subagents', () => {
  const message = { content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }] }
  const call = { toolUseId: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
  expect(facts({ type: 'assistant', message })).toEqual([{ type: 'called', call }])
  expect(facts({ type: 'assistant', message, agentId: 'sub' })).toEqual([
    { type: 'called', call: { ...call, agentId: 'sub' } },
  ])
})

it.each([
  ['a hook', { permissionDecision: { decision: 'accept', source: 'hook' } }, 'ran', 'hook'],
  ['a person', { permissionDecision: { source: 'user_temporary', grantScope: 'once' } }, 'ran', 'person'],
  ['settings', { permissionDecision: { source: 'config' } }, 'ran', 'settings'],
  ['nobody it names', {}, 'ran', undefined],
  ['a person who said no', { toolDenialKind: 'user-rejected' }, 'denied', 'person'],
  [
    'a hook that said no',
    { toolDenialKind: 'permission-rule', permissionDecision: { source: 'hook' } },
    'refused',
    'hook',
  ],
])('says that %s decided', (_, more, kind, by) => {
  expect(facts(result(more))).toMatchObject([{ type: 'ended', toolUseId: 'toolu_1', end: { kind }, ...(by && { by }) }])
})

it('reads what was answered to questions', () => {
  const answers = { 'Which?': 'This' }
  expect(facts(result({ toolUseResult: { questions: [], answers } }))).toMatchObject([{ answers }])
  expect(facts(result({ toolUseResult: { answers: 'no' } }))[0]).not.toHaveProperty('answers')
})

it("reads that a hook's decision was taken, and believes no other text that looks like it", () => {
  const attachment = {
    type: 'hook_permission_decision',
    decision: 'allow',
    toolUseID: 'toolu_1',
    hookEvent: 'PermissionRequest',
  }
  expect(facts({ type: 'attachment', attachment })).toEqual([
    { type: 'hook-decided', toolUseId: 'toolu_1', isAllowed: true },
  ])
  expect(facts({ type: 'attachment', attachment: { ...attachment, hookEvent: 'PreToolUse' } })).toEqual([])
  expect(facts(result({}, { content: JSON.stringify({ attachment }) }))).toMatchObject([{ type: 'ended' }])
})

it.each([
  ['garbage', '{"hook_permission_decision"'],
  ['null', 'null'],
  ['a number', '5'],
  ['nothing', ''],
])('passes over %s', (_, text) => {
  expect(lineFacts(Buffer.from(text), () => undefined)).toEqual({ facts: [] })
})
