import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { bash, edit, plan, question, SESSION, tool } from '../gallery/sample-asks.ts'
import { DIFF, QUESTIONS } from '../gallery/sample-texts.ts'
import { type AskFilter, choicesOf, createSieve, isFiltering, NO_FILTER } from './ask-filter.ts'

const site: Session = {
  ...SESSION,
  id: 'ses_site',
  title: 'Pricing page',
  projectId: 'site',
  cwd: '/home/ann/code/site',
}
const asks = {
  test: bash('npm test -- queue'),
  push: bash('git push', { sessionId: site.id }),
  edit: edit(DIFF),
  slack: tool('mcp__slack__post', { channel: { name: '#ops' } }),
  question: question(QUESTIONS, { sessionId: site.id }),
  plan: plan('Measure twice'),
}
const sessions = new Map([SESSION, site].map((session) => [session.id, session]))

function shown(filter: Partial<AskFilter>): readonly string[] {
  const passes = createSieve({ ...NO_FILTER, ...filter })
  return Object.entries(asks).flatMap(([name, ask]) => (passes(ask, sessions.get(ask.sessionId)) ? [name] : []))
}

describe('the filter of the inbox', () => {
  it('shows everything until something is chosen', () => {
    expect(isFiltering(NO_FILTER)).toBe(false)
    expect(isFiltering({ ...NO_FILTER, words: '  ' })).toBe(false)
    expect(shown({})).toEqual(Object.keys(asks))
  })

  it('narrows by project, session, kind and tool, all of them together', () => {
    expect(shown({ project: 'site' })).toEqual(['push', 'question'])
    expect(shown({ session: SESSION.id, kind: 'approval' })).toEqual(['test', 'edit', 'slack'])
    expect(shown({ tool: 'Bash' })).toEqual(['test', 'push'])
    expect(shown({ tool: 'Bash', project: 'site' })).toEqual(['push'])
  })

  it('finds every word, in any case: in commands, paths, inputs, plans, questions and names of sessions', () => {
    expect(shown({ words: 'NPM queue' })).toEqual(['test'])
    expect(shown({ words: 'backoff.ts' })).toEqual(['edit'])
    expect(shown({ words: '#ops' })).toEqual(['slack'])
    expect(shown({ words: 'measure' })).toEqual(['plan'])
    expect(shown({ words: 'pricing' })).toEqual(['push', 'question'])
    expect(shown({ words: 'npm pricing' })).toEqual([])
  })

  it('keeps what it has shown, whatever its session is called later', () => {
    const passes = createSieve({ ...NO_FILTER, words: 'pricing' })
    expect(passes(asks.push, site)).toBe(true)
    expect(passes(asks.push, { ...site, title: 'Another' })).toBe(true)
    expect(passes(asks.test, SESSION)).toBe(false)
    expect(passes(asks.test, { ...SESSION, title: 'Pricing' })).toBe(false)
  })

  it('keeps an ask that is raised again for the same call', () => {
    const passes = createSieve({ ...NO_FILTER, words: 'queue' })
    expect(passes(asks.test, undefined)).toBe(true)
    expect(passes(bash('npm test', { replaces: asks.test.id }), undefined)).toBe(true)
    expect(passes(bash('npm test', { replaces: asks.push.id }), undefined)).toBe(false)
  })
})

describe('its choices', () => {
  const of = (among: readonly Ask[], chosen: Partial<AskFilter> = {}) =>
    choicesOf(among, sessions, { ...NO_FILTER, ...chosen })

  it('are what there is among the asks', () => {
    const choices = of(Object.values(asks))
    expect(choices.project.map(({ label }) => label)).toEqual(['payments-api', 'site'])
    expect(choices.session.map(({ label }) => label)).toEqual(['Retry queue rewrite', 'Pricing page'])
    expect(choices.kind.map(({ label }) => label)).toEqual(['Approvals', 'Questions', 'Plans'])
    expect(choices.tool.map(({ label }) => label)).toEqual(['Bash', 'Edit', 'mcp__slack__post'])
  })

  it('keep what is chosen when its last ask is gone', () => {
    const choices = of([asks.plan], { tool: 'Bash', kind: 'question', session: site.id })
    expect(choices.tool).toEqual([{ value: 'Bash', label: 'Bash' }])
    expect(choices.kind.map(({ label }) => label)).toEqual(['Plans', 'Questions'])
    expect(choices.session.at(-1)).toEqual({ value: site.id, label: 'Pricing page' })
  })

  it('hide nothing in a name', () => {
    const odd = new Map([[site.id, { ...site, title: 'a\u202eb' }]])
    expect(choicesOf([asks.push], odd, NO_FILTER).session[0]?.label).not.toContain('\u202e')
  })
})
