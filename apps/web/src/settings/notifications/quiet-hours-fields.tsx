import type { QuietHours } from '@holdpoint/schema/notification'
import { Field, INPUT } from '../../parts/field.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useDraft } from './use-draft.ts'

const NIGHT = { from: '22:00', to: '07:00' }

export interface QuietHoursFieldsProps {
  readonly value: QuietHours | undefined
  onChange(value: QuietHours | undefined): void
}

/** When nothing is sent. A time counts once the field is left: while it is typed it is another one with each key. */
export function QuietHoursFields({ value, onChange }: QuietHoursFieldsProps) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Quiet hours"
        hint="Nothing is sent between these times. What still waits is sent when they are over."
        checked={value !== undefined}
        onChange={(isOn) => onChange(isOn ? { ...NIGHT, timeZone } : undefined)}
      />
      {value && <Times value={value} onChange={onChange} />}
    </div>
  )
}

function Times({ value, onChange }: { value: QuietHours; onChange: (value: QuietHours) => void }) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const [times, setTimes] = useDraft({ from: value.from, to: value.to })
  const failure = times.from === times.to ? 'They begin and end at the same time.' : undefined
  const commit = () => {
    const isChanged = times.from !== value.from || times.to !== value.to
    if (isChanged && !failure && times.from && times.to) onChange({ ...times, timeZone })
  }
  return (
    <div>
      <div className="flex gap-4">
        {(['from', 'to'] as const).map((end) => (
          <div key={end} className="w-36">
            <Field label={end === 'from' ? 'From' : 'Until'}>
              {(control) => (
                <input
                  {...control}
                  type="time"
                  value={times[end]}
                  onChange={(event) => setTimes({ ...times, [end]: event.target.value })}
                  onBlur={commit}
                  className={INPUT}
                />
              )}
            </Field>
          </div>
        ))}
      </div>
      <p aria-live="polite" className={`mt-1.5 text-[13px] ${failure ? 'text-deny' : 'text-quiet'}`}>
        {failure ?? `In the time zone ${value.timeZone}.`}
      </p>
    </div>
  )
}
