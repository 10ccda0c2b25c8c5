import { endOf, type RuleEnding } from '@holdpoint/react/cards/rule-ending'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'

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
  /** The rule that it began with: what stays as it was is taken from there, whatever others have saved since. */
  readonly from?: NewRule
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
    from: rule,
  }
}

/** The rule that a draft comes to. */
export function ruleOf(draft: RuleDraft, now: number): NewRule {
  const { from } = draft
  const match = testsOf(draft.match, from?.match)
  const notMatch = testsOf(draft.notMatch, from?.notMatch)
  const until = draft.ending === 'kept' ? from?.until : endOf(draft.ending, now)
  const why = draft.why.trim()
  return {
    effect: draft.effect,
    agent: draft.agent,
    pattern: draft.pattern.trim(),
    scope: scopeOf(draft),
    ...(until !== undefined && { until }),
    ...(match.length > 0 && { match }),
    ...(notMatch.length > 0 && { notMatch }),
    ...(draft.pins.length > 0 && { pins: [...draft.pins] }),
    ...(why !== '' && { why }),
  }
}

function scopeOf({ scope, folder, from }: RuleDraft): NewRule['scope'] {
  if (scope === 'project') return { kind: 'project', folder: folder.trim().replace(/(.)\/+$/, '$1') }
  // A rule of a session is made on a card; here it only stays one.
  if (scope === 'session' && from?.scope.kind === 'session') return from.scope
  return { kind: 'everywhere' }
}

/** Tests that are as they were stay exactly so: one of them may have several lines. */
function testsOf(text: string, earlier: readonly string[] = []): string[] {
  if (text === earlier.join('\n')) return [...earlier]
  return text.split('\n').filter((line) => line.trim() !== '')
}
