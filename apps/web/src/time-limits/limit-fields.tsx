import type { OnTimeout } from '@holdpoint/schema/time-limit'
import { Field, INPUT } from '../parts/field.tsx'
import { isOpenEnded, type LimitChoice, PRESETS, TIMES } from './limit-choice.ts'

export interface LimitFieldsProps {
  readonly value: LimitChoice
  /** Offered before the others. */
  readonly first?: { readonly value: string; readonly label: string }
  onChange(value: LimitChoice): void
}

/** How long asks wait, and what happens then. */
export function LimitFields({ value, first, onChange }: LimitFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <Field label="How long an ask waits for you">
        {(control) => (
          <select
            {...control}
            value={value.time}
            onChange={(event) => onChange({ ...value, time: event.target.value })}
            className={INPUT}
          >
            {first && <Option {...first} />}
            {TIMES.map((option) => (
              <Option key={option.value} {...option} />
            ))}
            <optgroup label="As in other protocols">
              {PRESETS.map((option) => (
                <Option key={option.value} {...option} />
              ))}
            </optgroup>
          </select>
        )}
      </Field>
      {isOpenEnded(value) && (
        <Field label="When the time is up">
          {(control) => (
            <select
              {...control}
              value={value.onTimeout}
              onChange={(event) => onChange({ ...value, onTimeout: event.target.value as OnTimeout })}
              className={INPUT}
            >
              <Option value="deny" label="it expires, and the agent continues" />
              <Option value="interrupt" label="it expires, and the agent is interrupted" />
            </select>
          )}
        </Field>
      )}
    </div>
  )
}

function Option({ value, label }: { value: string; label: string }) {
  return <option value={value}>{label}</option>
}
