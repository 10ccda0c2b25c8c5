import type { RememberScope } from '@holdpoint/schema/answer'
import { type ReactNode, useId } from 'react'
import { VisibleText } from '../text/visible-text.tsx'
import type { RuleOffers } from './ask-card.tsx'
import { DryRun } from './dry-run.tsx'
import { ReasonText } from './reason-text.tsx'
import type { RuleChoice } from './rule-choice.ts'
import { type RuleEnding, SOON_MINUTES } from './rule-ending.ts'

interface RuleChoicesProps {
  readonly choice: RuleChoice
  readonly rules: RuleOffers
  /** Whether exactly this call can be remembered. */
  readonly hasExact: boolean
  readonly now: number
}

const INPUT =
  'min-h-11 w-full min-w-0 rounded-lg border border-line bg-card px-3 text-base focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-accent aria-invalid:border-deny pointer-fine:min-h-9.5 pointer-fine:text-sm'

/** Exactly this call, or a rule that allows a little more; then its words, where it holds and how long. */
export function RuleChoices({ choice, rules, hasExact, now }: RuleChoicesProps) {
  const { chosen, options, isLoading, why } = choice
  const name = useId()
  if (isLoading) return hasExact ? null : <p className="text-quiet">Looking for rules that would allow this…</p>
  if (options.length === 0) return hasExact || why === undefined ? null : <NoRule why={why} />
  return (
    <>
      <fieldset>
        <legend className="mb-1.5 font-medium">What to allow from now on</legend>
        <div className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line">
          {hasExact && (
            <Option name={name} checked={chosen === 'exact'} onChoose={() => choice.choose('exact')}>
              Exactly this call, until this session ends
            </Option>
          )}
          {options.map(({ pattern, says, isAgents }, place) => (
            <Option
              key={pattern}
              name={name}
              checked={chosen === place}
              onChoose={() => choice.choose(place)}
              hint={isAgents ? <Suggested says={says} /> : <ReasonText text={says} />}
            >
              <VisibleText text={pattern} code className="font-mono text-[13px] wrap-anywhere" />
            </Option>
          ))}
        </div>
      </fieldset>
      {chosen !== 'exact' && <RuleFields choice={choice} rules={rules} now={now} />}
    </>
  )
}

function NoRule({ why }: { why: string }) {
  return (
    <p className="text-quiet wrap-anywhere">
      <ReasonText text={why} />
    </p>
  )
}

function Suggested({ says }: { says: string }) {
  return (
    <>
      The agent suggests: <VisibleText text={says} />. Holdpoint keeps this rule, not the agent.
    </>
  )
}

interface OptionProps {
  readonly name: string
  readonly checked: boolean
  readonly hint?: ReactNode
  readonly children: ReactNode
  onChoose(): void
}

function Option({ name, checked, hint, children, onChoose }: OptionProps) {
  const id = useId()
  return (
    <label className="flex min-h-11 cursor-pointer items-start gap-3 px-3 py-2.5 has-checked:bg-accent-bg has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent">
      <input
        type="radio"
        name={name}
        checked={checked}
        onChange={onChoose}
        aria-labelledby={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.75 size-4 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0">
        <span id={id} className="block">
          {children}
        </span>
        {hint !== undefined && (
          <span id={`${id}-hint`} className="block text-[13px] text-quiet wrap-anywhere">
            {hint}
          </span>
        )}
      </span>
    </label>
  )
}

function RuleFields({ choice, rules, now }: Omit<RuleChoicesProps, 'hasExact'>) {
  const id = useId()
  const { text, problem, scope, scopes, ending } = choice
  return (
    <div className="flex flex-col gap-3">
      <div>
        <label htmlFor={`${id}-rule`} className="mb-1.5 block font-medium">
          Rule
        </label>
        <input
          id={`${id}-rule`}
          value={text}
          onChange={(event) => choice.setText(event.target.value)}
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={`${id}-problem`}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          className={`${INPUT} font-mono`}
        />
        <p id={`${id}-problem`} aria-live="polite" className="mt-1.5 text-[13px] text-deny empty:hidden">
          {problem !== undefined && <ReasonText text={problem} />}
        </p>
      </div>
      <DryRun
        rule={problem === undefined ? choice.rule : undefined}
        isChecked={choice.isReady}
        dryRun={rules.policy.dryRun}
      />
      <div className="flex flex-wrap gap-3 *:min-w-40 *:flex-1">
        <div>
          <label htmlFor={`${id}-scope`} className="mb-1.5 block font-medium">
            Where
          </label>
          <select
            id={`${id}-scope`}
            value={scope}
            onChange={(event) => choice.setScope(event.target.value as RememberScope)}
            className={INPUT}
          >
            {scopes.map((value) => (
              <option key={value} value={value}>
                {SCOPES[value]}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-ending`} className="mb-1.5 block font-medium">
            How long
          </label>
          <select
            id={`${id}-ending`}
            value={ending}
            onChange={(event) => choice.setEnding(event.target.value as RuleEnding)}
            className={INPUT}
          >
            <option value="never">{scope === 'session' ? 'Until the session ends' : 'Forever'}</option>
            <option value="soon">For {SOON_MINUTES} minutes</option>
            <option value="today">Until the end of today, {new Date(now).toLocaleDateString()}</option>
          </select>
        </div>
      </div>
      <p className="text-quiet">
        {scope === 'project' && (
          <>
            It holds in <VisibleText text={choice.project} code className="font-mono text-xs wrap-anywhere" />.{' '}
          </>
        )}
        It allows this call at once. Other open asks stay open. You can change or remove the rule under Rules.
      </p>
    </div>
  )
}

const SCOPES: Readonly<Record<RememberScope, string>> = {
  session: 'This session',
  project: 'This project',
  everywhere: 'Everywhere',
}
