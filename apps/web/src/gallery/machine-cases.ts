import type { Case } from './cases.ts'
import { bash, NOW, plan, question, RAISED, tool } from './sample-asks.ts'
import { AWAY, ELSEWHERE, SILENT } from './sample-machines.ts'
import { COMMAND, PLAN, QUESTIONS } from './sample-texts.ts'

/** Cards of agents on another machine than the one of the page. */
export const MACHINE_CASES: readonly Case[] = [
  { id: 'approval-bash-elsewhere--pending', ask: bash(COMMAND), machine: ELSEWHERE },
  { id: 'approval-bash--away', ask: bash(COMMAND, { toolUseId: 'toolu_1' }), machine: AWAY },
  { id: 'approval-raised--away', ask: { ...tool('Deploy', { to: 'production' }), ...RAISED }, machine: AWAY },
  { id: 'question-one--away', ask: question(QUESTIONS.slice(0, 1)), machine: AWAY },
  { id: 'plan--away', ask: plan(PLAN), machine: AWAY },
  { id: 'approval-terminal-elsewhere--pending', ask: bash(COMMAND, { agent: 'terminal' }), machine: ELSEWHERE },
  {
    id: 'question-terminal-silent--pending',
    ask: question(QUESTIONS.slice(0, 1), { agent: 'terminal' }),
    machine: SILENT,
  },
  { id: 'question-terminal--away', ask: question(QUESTIONS.slice(0, 1), { agent: 'terminal' }), machine: AWAY },
  {
    id: 'approval-bash--recorded',
    ask: bash(COMMAND),
    state: {
      kind: 'settled-here',
      outcome: { kind: 'denied', at: NOW - 3000, via: 'web', answer: { kind: 'deny', message: 'Not today.' } },
    },
    machine: AWAY,
    undelivered: true,
  },
]
