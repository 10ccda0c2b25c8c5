import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { createAskFeed } from './ask-feed.ts'
import { sampleAsk } from './fixtures/sample-ask.ts'

const ask = sampleAsk({ kind: 'approval' })
const session = { id: ask.sessionId, title: 'Fix\u001b the build' } as Session
const outcome: Outcome = { kind: 'allowed', at: 5, by: { device: 'dev_1', name: 'Phone', role: 'owner' }, via: 'web' }

describe('the feed of asks', () => {
  it('says each ask once and how it ended, with names that cannot act on the terminal', () => {
    const feed = createAskFeed({ now: () => 6000, width: () => ({ columns: undefined }) })
    expect(feed.hear({ type: 'snapshot', sessions: [session], asks: [ask] })).toEqual([
      expect.stringMatching(/open {2}bjymcs {2}approval {2}Fix⟨U\+001B⟩ the build: Bash: date$/),
    ])
    expect(feed.hear({ type: 'ask-raised', sessionId: ask.sessionId, at: 2, ask })).toEqual([])
    const settled = { type: 'ask-settled', sessionId: ask.sessionId, at: 5, askId: ask.id, outcome } as const
    expect(feed.hear(settled)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}done {2}bjymcs {2}allowed by "Phone" in a browser {2}\(Bash: date\)$/),
    ])
  })

  it('numbers the options of a question, for answer --choose, unless a label is a number itself', () => {
    const feed = createAskFeed({ now: () => 0, width: () => ({ columns: undefined }) })
    const options = (...labels: string[]) => ({
      question: 'Which?',
      multiSelect: false,
      options: labels.map((label) => ({ label })),
    })
    const questions = [options('Postgres', 'SQL\u001bite'), options('3 days', 'A week')]
    const asked = sampleAsk({ kind: 'question', title: 'Question', questions })
    expect(feed.hear({ type: 'snapshot', sessions: [session], asks: [asked] }).slice(1)).toEqual([
      `${' '.repeat(24)}question 1: 1 Postgres · 2 SQL⟨U+001B⟩ite`,
      `${' '.repeat(24)}question 2: 3 days · A week`,
    ])
  })

  it('keeps what was chosen, also where the line is narrow', () => {
    const feed = createAskFeed({ now: () => 0, width: () => ({ columns: 60 }) })
    const message = 'Not on main: use the staging database, and tell me first what you are about to do there.'
    const denied: Outcome = { ...outcome, kind: 'denied', answer: { kind: 'deny', message } }
    const lines = feed.hear({ type: 'ask-settled', sessionId: ask.sessionId, at: 5, askId: ask.id, outcome: denied })
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    expect(lines.map((line) => line.slice(24)).join('')).toBe(`denied: "${message}"; by "Phone" in a browser`)
  })

  it('cuts what goes on for ever, with a mark', () => {
    const feed = createAskFeed({ now: () => 0, width: () => ({ columns: undefined }) })
    const answer = { kind: 'answer', answers: [{ question: 0, selected: [], other: 'x'.repeat(60_000) }] }
    const answered: Outcome = { ...outcome, kind: 'answered', answer }
    const event = { type: 'ask-settled', sessionId: ask.sessionId, at: 5, askId: ask.id, outcome: answered } as const
    expect(feed.hear(event)).toEqual([expect.stringMatching(/answered: in own words "x{200}\.\.\."; by "Phone"/)])
  })

  it('says after a gap what was settled meanwhile', () => {
    const feed = createAskFeed({ now: () => 0, width: () => ({ columns: undefined }) })
    feed.hear({ type: 'snapshot', sessions: [session], asks: [ask] })
    expect(feed.hear({ type: 'snapshot', sessions: [session], asks: [] })).toEqual([
      expect.stringContaining('settled while the connection was lost'),
    ])
  })
})
