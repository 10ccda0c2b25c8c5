import { endOf, type RuleEnding } from '@holdpoint/react/cards/rule-ending'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'

/** `kept`: when it did so far. */
export type Ending = RuleEnding | 'kept'

/** A rule while somebody writes it: everything is text. */
export interface RuleDraft {
  readonly effect: NewRule['effect']
  readonly pattern: string
  readonly agent: string
  readonly scope: NewRule['scope']['kind']
  readonly folder: string
  readonly ending: Ending
  /** One on each line. */
  readonly match: string
  readonly notMatch: string
  readonly why: string
  readonly pins: NonNullable<NewRule['pins']>
}

export function newDraft(folder: string): RuleDraft {
  return {
    effect: 'ask',
    pattern: '',
    agent: '*',
    scope: 'everywhere',
    folder,
    ending: 'never',
    match: '',
    notMatch: '',
    why: '',
    pins: [],
  }
}

export function draftOf(rule: NewRule, folder: string): RuleDraft {
  const { effect, pattern, agent, scope, until, match = [], notMatch = [], why = '', pins = [] } = rule
  return {
    effect,
    pattern,
    agent,
    scope: scope.kind,
    folder: scope.kind === 'project' ? scope.folder : folder,
    ending: until === undefined ? 'never' : 'kept',
    match: match.join('\n'),
    notMatch: notMatch.join('\n'),
    why,
    pins,
  }
}

/** The rule that a draft comes to, in place of an earlier one or as a new one. */
export function ruleOf(draft: RuleDraft, now: number, earlier?: PolicyRule): NewRule {
  const match = testsOf(draft.match, earlier?.match)
  const notMatch = testsOf(draft.notMatch, earlier?.notMatch)
  const until = draft.ending === 'kept' ? earlier?.until : endOf(draft.ending, now)
  const why = draft.why.trim()
  return {
    effect: draft.effect,
    agent: draft.agent,
    pattern: draft.pattern.trim(),
    scope: scopeOf(draft, earlier),
    ...(until !== undefined && { until }),
    ...(match.length > 0 && { match }),
    ...(notMatch.length > 0 && { notMatch }),
    ...(draft.pins.length > 0 && { pins: [...draft.pins] }),
    ...(why !== '' && { why }),
  }
}

function scopeOf({ scope, folder }: RuleDraft, earlier: PolicyRule | undefined): NewRule['scope'] {
  if (scope === 'project') return { kind: 'project', folder: folder.trim().replace(/(.)\/+$/, '$1') }
  // A rule of a session is made on a card; here it only stays one.
  if (scope === 'session' && earlier?.scope.kind === 'session') return earlier.scope
  return { kind: 'everywhere' }
}

/** Tests that are as they were stay exactly so: one of them may have several lines. */
function testsOf(text: string, earlier: readonly string[] = []): string[] {
  if (text === earlier.join('\n')) return [...earlier]
  return text.split('\n').filter((line) => line.trim() !== '')
}
