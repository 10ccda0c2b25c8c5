import type { RememberRequest, RememberScope } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { OfferedRules } from '@holdpoint/schema/endpoints/asks'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import { useEffect, useState } from 'react'
import type { RuleOffers } from './ask-card.tsx'
import { endOf, type RuleEnding } from './rule-ending.ts'

/** After the last key. */
const PAUSE_MS = 250

/** A rule that can be chosen. */
export interface RuleOption {
  readonly pattern: string
  readonly says: string
  /** Whether the agent itself proposes it. */
  readonly isAgents: boolean
}

/** What a person has chosen to be remembered, and how far that is checked. */
export interface RuleChoice {
  /** Exactly this call, or the place of a rule. */
  readonly chosen: 'exact' | number
  readonly options: readonly RuleOption[]
  readonly scopes: readonly RememberScope[]
  readonly project: string
  /** Why there are no rules to choose from, or that they could not be read. */
  readonly why: string | undefined
  readonly isLoading: boolean
  readonly text: string
  readonly scope: RememberScope
  readonly ending: RuleEnding
  /** The rule that would be made; none where exactly this call is remembered. */
  readonly rule: NewRule | undefined
  /** What the gateway says is wrong with the rule. */
  readonly problem: string | undefined
  /** Whether it can be sent. */
  readonly isReady: boolean
  /** Another one for each other choice. */
  readonly key: string
  choose(chosen: 'exact' | number): void
  setText(text: string): void
  setScope(scope: RememberScope): void
  setEnding(ending: RuleEnding): void
  wanted(now: number): RememberRequest
}

export function useRuleChoice(ask: Ask, rules: RuleOffers | undefined, hasExact: boolean): RuleChoice {
  const [offered, setOffered] = useState<OfferedRules | { readonly failure: string }>()
  const [chosen, setChosen] = useState<'exact' | number>(hasExact ? 'exact' : 0)
  const [texts, setTexts] = useState<readonly string[]>([])
  const [scopeChosen, setScope] = useState<RememberScope>()
  const [ending, setEnding] = useState<RuleEnding>('never')
  const [checked, setChecked] = useState<{ readonly of: string; readonly problem: string | undefined }>()
  const scopes = offered && 'rules' in offered ? offered.scopes : []
  // For its session alone, this very call is remembered more exactly than by any rule.
  const scope = scopeChosen ?? (hasExact && scopes.includes('project') ? 'project' : 'session')
  const options = offered && 'rules' in offered ? optionsOf(offered) : []
  const text = chosen === 'exact' ? '' : (texts[chosen] ?? options[chosen]?.pattern ?? '')
  const isRule = chosen !== 'exact' && options.length > 0
  const checking = `${scope} ${text}`

  useEffect(() => {
    let current = true
    rules?.offeredRules(ask).then(
      (result) => current && setOffered(result.ok ? result.value : { failure: result.message }),
      () => current && setOffered({ failure: 'The rules could not be read.' }),
    )
    return () => {
      current = false
    }
  }, [ask, rules])

  useEffect(() => {
    if (!isRule || !rules) return
    let current = true
    const of = `${scope} ${text}`
    const done = (problem: string | undefined) => current && setChecked({ of, problem })
    const timer = setTimeout(() => {
      rules.checkRuleFor(ask, { rule: text.trim(), scope }).then(
        (result) => done(result.ok ? result.value.problem : result.message),
        () => done('The rule could not be checked.'),
      )
    }, PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [ask, rules, isRule, text, scope])

  const isChecked = checked?.of === checking
  const project = offered && 'rules' in offered ? offered.project : ''
  const pattern = text.trim()
  return {
    chosen,
    options,
    scopes,
    project,
    why: offered && ('failure' in offered ? offered.failure : offered.why),
    isLoading: rules !== undefined && offered === undefined,
    text,
    scope,
    ending,
    rule:
      isRule && pattern !== ''
        ? { effect: 'allow', agent: ask.agent, pattern, scope: scopeOf(scope, ask, project) }
        : undefined,
    problem: isRule && isChecked ? checked.problem : undefined,
    isReady: chosen === 'exact' || (isRule && isChecked && checked.problem === undefined),
    key: chosen === 'exact' ? 'exact' : `${checking} ${ending}`,
    choose: setChosen,
    setText: (next) =>
      setTexts((before) => options.map((option, at) => (at === chosen ? next : (before[at] ?? option.pattern)))),
    setScope,
    setEnding,
    wanted(now) {
      if (chosen === 'exact') return { scope: 'session' }
      const until = endOf(ending, now)
      return { scope, rule: pattern, ...(until !== undefined && { until }) }
    },
  }
}

function optionsOf({ rules, suggested }: OfferedRules): readonly RuleOption[] {
  return [
    ...rules.map(({ pattern, says }) => ({ pattern, says, isAgents: false })),
    ...suggested.map(({ pattern, says }) => ({ pattern, says, isAgents: true })),
  ]
}

function scopeOf(scope: RememberScope, { sessionId }: Ask, folder: string): NewRule['scope'] {
  if (scope === 'session') return { kind: 'session', sessionId }
  return scope === 'project' ? { kind: 'project', folder } : { kind: 'everywhere' }
}
