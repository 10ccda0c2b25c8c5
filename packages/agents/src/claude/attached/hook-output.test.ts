import type { Outcome } from '@holdpoint/schema/outcome'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { expect, it } from 'vitest'
import { createInteractiveTools } from '../asks/interactive-tools.ts'
import { hookReply } from './hook-output.ts'

const { approvedInput } = createInteractiveTools()
const request = askRequest({ requestId: 'r' })
const by = { device: 'dev_1', name: 'Ann', role: 'owner' as const }
const outcome = (kind: Outcome['kind'], answer?: Record<string, unknown>): Outcome => ({
  kind,
  at: 1,
  by,
  via: 'web',
  ...(answer && { answer }),
})
const decision = (given: Outcome) =>
  (hookReply(request, given, approvedInput).output?.hookSpecificOutput as { decision?: unknown } | undefined)?.decision

it('[I6] hands over the input that was shown, or the edit of a person', () => {
  expect(decision(outcome('allowed'))).toEqual({ behavior: 'allow', updatedInput: request.tool?.input })
  const updatedInput = { command: 'mine' }
  expect(decision(outcome('allowed', { kind: 'allow', updatedInput }))).toEqual({ behavior: 'allow', updatedInput })
})

it('says no with its words, and stops where that was wanted', () => {
  expect(decision(outcome('denied', { kind: 'deny', message: 'no' }))).toEqual({ behavior: 'deny', message: 'no' })
  expect(decision(outcome('denied', { kind: 'deny', interrupt: true }))).toMatchObject({ interrupt: true })
})

it('never passes on what is to be remembered: rules are ours', () => {
  const remembered = outcome('allowed', { kind: 'allow', remember: { scope: 'session' } })
  expect(JSON.stringify(hookReply(request, remembered, approvedInput))).not.toContain('updatedPermissions')
})

it('T38 says in which mode to go on with a plan', () => {
  const plan = askRequest({
    requestId: 'r',
    kind: 'plan',
    tool: { name: 'ExitPlanMode', input: {} },
    plan: { text: 'p' },
  })
  const { output } = hookReply(plan, outcome('allowed', { kind: 'allow' }), approvedInput)
  const updatedPermissions = [{ type: 'setMode', mode: 'default', destination: 'session' }]
  expect(output).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow', updatedPermissions } } })
})

it.each(['withdrawn', 'expired'] as const)('[I4] says nothing for an ask that was %s', (kind) => {
  expect(hookReply(request, outcome(kind), approvedInput)).toEqual({})
})
