import type { Actor, Outcome } from '@holdpoint/schema/outcome'
import { expect, it } from 'vitest'
import { personDecision } from './history.ts'

const by: Actor = { device: 'dev_1', name: 'Ann', role: 'owner' }

it.each<[Outcome['kind'], Partial<Outcome>, ReturnType<typeof personDecision>]>([
  ['allowed', { via: 'web', by }, 'allowed'],
  ['denied', { via: 'web', by }, 'denied'],
  ['answered', { via: 'web', by }, undefined],
  ['allowed', { via: 'rule' }, undefined],
  // The yes to the appeal is an ask of its own: it would count twice.
  ['allowed', { via: 'appeal', by }, undefined],
  ['expired', { via: 'gateway' }, undefined],
])('what is %s with %j counts as decided by a person: %s', (kind, more, decided) => {
  expect(personDecision({ kind, at: 1, via: 'web', ...more })).toBe(decided)
})
