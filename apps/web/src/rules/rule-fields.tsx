import { SOON_MINUTES } from '@holdpoint/react/cards/rule-ending'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { useNow } from '@holdpoint/react/time/now'
import { Button } from '@holdpoint/react/ui/button'
import type { ReactNode } from 'react'
import { useMe } from '../account/me.tsx'
import { Choice } from '../parts/choice.tsx'
import { Field, INPUT } from '../parts/field.tsx'
import type { Ending, RuleDraft } from './rule-draft.ts'
import { EFFECTS, untilWords } from './rule-words.ts'

interface RuleFieldsProps {
  readonly draft: RuleDraft
  /** What the gateway says is wrong with it. */
  readonly problem: string | undefined
  readonly example: string | undefined
  /** Whether it may stay a rule of one session. */
  readonly maySession: boolean
  /** When the rule that is edited ends. */
  readonly until: number | undefined
  /** What the rule would have done: below what decides that. */
  readonly tried: ReactNode
  onChange(changes: Partial<RuleDraft>): void
}

const PLAIN_TEXT = { autoCapitalize: 'none', autoComplete: 'off', spellCheck: false } as const

export function RuleFields({ draft, problem, example, maySession, until, tried, onChange }: RuleFieldsProps) {
  return (
    <>
      <Choice
        legend="Effect"
        name="effect"
        inline
        value={draft.effect}
        onChange={(effect) => onChange({ effect })}
        options={(['allow', 'ask', 'deny'] as const).map((value) => ({ value, ...EFFECTS[value] }))}
      />
      <Field
        label="Rule"
        hint={
          example === undefined ? (
            'A * at the end matches any further arguments.'
          ) : (
            <>
              For example <code className="font-mono text-xs">{example}</code>. A * at the end matches any further
              arguments.
            </>
          )
        }
        failure={problem}
      >
        {(control) => (
          <input
            {...control}
            {...PLAIN_TEXT}
            value={draft.pattern}
            onChange={(event) => onChange({ pattern: event.target.value })}
            className={`${INPUT} font-mono`}
          />
        )}
      </Field>
      <ScopeFields draft={draft} maySession={maySession} onChange={onChange} />
      {tried}
      <div className="flex flex-wrap gap-4 *:min-w-40 *:flex-1">
        <EndingField value={draft.ending} until={until} onChange={(ending) => onChange({ ending })} />
        <AgentField value={draft.agent} onChange={(agent) => onChange({ agent })} />
      </div>
      {draft.pins.length > 0 && <Pins pins={draft.pins} onChange={(pins) => onChange({ pins })} />}
      <Field label="Why" hint="For whoever reads this rule later (optional).">
        {(control) => (
          <input
            {...control}
            value={draft.why}
            maxLength={1000}
            onChange={(event) => onChange({ why: event.target.value })}
            className={INPUT}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-4 *:min-w-52 *:flex-1">
        <TestField label="Must match" value={draft.match} onChange={(match) => onChange({ match })} />
        <TestField label="Must not match" value={draft.notMatch} onChange={(notMatch) => onChange({ notMatch })} />
      </div>
    </>
  )
}

function ScopeFields({ draft, maySession, onChange }: Pick<RuleFieldsProps, 'draft' | 'maySession' | 'onChange'>) {
  return (
    <>
      <Choice
        legend="Where"
        name="scope"
        inline
        value={draft.scope}
        onChange={(scope) => onChange({ scope })}
        options={[
          { value: 'everywhere', label: 'Everywhere' },
          { value: 'project', label: 'In one project' },
          ...(maySession ? [{ value: 'session' as const, label: 'In its session' }] : []),
        ]}
      />
      {draft.scope === 'project' && (
        <Field label="Folder of the project" hint="It holds for sessions in this folder and below it.">
          {(control) => (
            <input
              {...control}
              {...PLAIN_TEXT}
              value={draft.folder}
              onChange={(event) => onChange({ folder: event.target.value })}
              className={`${INPUT} font-mono`}
            />
          )}
        </Field>
      )}
    </>
  )
}

interface EndingFieldProps {
  readonly value: Ending
  readonly until: number | undefined
  onChange(ending: Ending): void
}

function EndingField({ value, until, onChange }: EndingFieldProps) {
  const now = useNow()
  return (
    <Field label="How long">
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value as Ending)}
          className={INPUT}
        >
          <option value="never">Forever</option>
          <option value="soon">For {SOON_MINUTES} minutes</option>
          <option value="today">Until the end of the day</option>
          {until !== undefined && <option value="kept">As it was: {untilWords(until, now)}</option>}
        </select>
      )}
    </Field>
  )
}

function AgentField({ value, onChange }: { value: string; onChange: (agent: string) => void }) {
  const known = useMe()?.agents ?? []
  const agents = ['*', ...new Set([...known, ...(value === '*' ? [] : [value])])]
  return (
    <Field label="For">
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value)} className={INPUT}>
          {agents.map((agent) => (
            <option key={agent} value={agent}>
              {agent === '*' ? 'Every agent' : agent}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Pins({ pins, onChange }: { pins: RuleDraft['pins']; onChange: (pins: RuleDraft['pins']) => void }) {
  return (
    <div>
      <p className="mb-1.5 text-sm font-medium">Only while these files are unchanged</p>
      <ul className="flex flex-col gap-1">
        {pins.map((pin) => (
          <li key={pin.path} className="flex items-center gap-2">
            <VisibleText text={pin.path} code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere" />
            <Button variant="quiet" onClick={() => onChange(pins.filter((each) => each !== pin))}>
              Remove this condition
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface TestFieldProps {
  readonly label: string
  readonly value: string
  onChange(text: string): void
}

function TestField({ label, value, onChange }: TestFieldProps) {
  return (
    <Field label={label} hint="One test per line (optional).">
      {(control) => (
        <textarea
          {...control}
          {...PLAIN_TEXT}
          value={value}
          rows={3}
          onChange={(event) => onChange(event.target.value)}
          className={`${INPUT} py-2 font-mono`}
        />
      )}
    </Field>
  )
}
