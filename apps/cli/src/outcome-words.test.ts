import type { AskKind } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it } from 'vitest'
import { outcomeWords } from './outcome-words.ts'

const by = { device: 'dev_1', name: 'Phone', role: 'owner' } as const

function words(
  outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'via'>,
  agent?: string,
  kind: AskKind = 'approval',
): string {
  const ask = agent === undefined ? undefined : { agent, kind }
  const said = outcomeWords({ at: 1000, ...outcome }, { now: 4000, ask })
  expect(said).toMatch(/; at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(3s ago\)$/)
  return said.replace(/; at .*$/, '')
}

describe('how an ask ended', () => {
  it("tells a command line from the agent's own terminal", () => {
    expect(words({ kind: 'allowed', via: 'terminal', by })).toBe('allowed by "Phone" (owner) at a command line')
    const there = { kind: 'withdrawn', via: 'terminal', reason: 'answered-elsewhere' } as const
    expect(words(there)).toBe("answered at the agent's own terminal")
    expect(words({ ...there, answer: { kind: 'allow' } })).toBe("allowed at the agent's own terminal")
    expect(words({ ...there, answer: { kind: 'deny', message: 'no' } })).toBe(
      `denied at the agent's own terminal: "no"`,
    )
  })

  it.each([
    [{ kind: 'deny', message: 'Not now', interrupt: true }, 'denied: "Not now", and the turn ended;'],
    [{ kind: 'cancel' }, 'left without an answer'],
    [{ kind: 'decline' }, 'declined'],
  ])('says a no as a person would: %j', (answer, said) => {
    expect(words({ kind: 'denied', via: 'web', by, answer })).toBe(`${said} by "Phone" (owner) in a browser`)
  })

  it.each([
    ['question', 'cancel', 'skipped'],
    ['form', 'cancel', 'cancelled'],
    ['form', 'decline', 'declined'],
  ] as const)('has the word of the card for a %s with %s: %s', (kind, answer, said) => {
    const outcome = { kind: 'denied', via: 'web', by, answer: { kind: answer } } as const
    expect(words(outcome, 'claude', kind)).toBe(`${said} by "Phone" (owner) in a browser`)
    const there = { kind: 'withdrawn', via: 'terminal', answer: { kind: answer } } as const
    expect(words(there, 'attached', kind)).toBe(`${said} at the agent's own terminal`)
  })

  it.each([
    [{ kind: 'answer', answers: [{ question: 0, selected: ['Red', 'Blue'] }] }, '"Red", "Blue"'],
    [
      {
        kind: 'answer',
        answers: [
          { question: 0, selected: ['Red'] },
          { question: 1, selected: [], other: 'mine' },
        ],
      },
      '1: "Red"; 2: in own words "mine"',
    ],
    [{ kind: 'submit', content: { name: 'Ada', age: 36 } }, 'name="Ada", age=36'],
  ])('says what was answered without its JSON: %j', (answer, said) => {
    expect(words({ kind: 'answered', via: 'api', by, answer })).toBe(
      `answered: ${said}; by "Phone" (owner) over the API`,
    )
  })

  it('keeps all of an allow, what it knows no words for included', () => {
    const answer = {
      kind: 'allow',
      updatedInput: { command: 'ls' },
      remember: { scope: 'project', rule: 'Bash(ls)' },
      permissionMode: 'plan',
      novel: [1],
    }
    expect(words({ kind: 'allowed', via: 'permission', by, answer })).toBe(
      'allowed: with the input {"command":"ls"}, remembered for the project {"rule":"Bash(ls)"}, in mode "plan", {"novel":[1]}; by "Phone" (owner) over permission',
    )
  })

  it('lets nobody end the quotation, or act on the terminal', () => {
    const message = 'x"; by "you\u001b[2J\u202e'
    expect(words({ kind: 'denied', via: 'web', by, answer: { kind: 'deny', message } })).toBe(
      'denied: "x\\"; by \\"you\\u001b[2J\\u202e"; by "Phone" (owner) in a browser',
    )
  })

  it('says why nobody was asked any longer, and of a terminal no more than is known', () => {
    const withdrawn = { kind: 'withdrawn', via: 'gateway', reason: 'agent-cancelled' } as const
    expect(words(withdrawn)).toBe('withdrawn: the agent cancelled it')
    expect(words(withdrawn, 'claude')).toBe('withdrawn: the agent cancelled it')
    for (const agent of ['attached', 'terminal'])
      expect(words(withdrawn, agent)).toMatch(
        /^withdrawn: it is no longer open in Holdpoint, but its terminal may still ask/,
      )
    expect(words(withdrawn, 'program')).toBe('withdrawn: the program that asked took it back')
    expect(words({ ...withdrawn, reason: 'orphaned' }, 'attached')).toBe('withdrawn: the agent that asked is gone')
    expect(words({ kind: 'expired', via: 'gateway' })).toBe('expired, nobody answered in time')
    expect(words({ kind: 'allowed', via: 'rule', rule: 'rul_1' as never })).toBe('allowed by rule rul_1')
    const denied = { kind: 'denied', via: 'rule', reason: 'It is not safe.' } as const
    expect(words({ ...denied, rules: ['rul_1' as never] })).toBe('denied (It is not safe.) by rule rul_1')
    expect(words(denied)).toBe('denied (It is not safe.) by a rule')
    expect(words({ kind: 'allowed', via: 'rule', rules: ['rul_1' as never, 'rul_2' as never] })).toBe(
      'allowed by rules rul_1, rul_2',
    )
  })
})
