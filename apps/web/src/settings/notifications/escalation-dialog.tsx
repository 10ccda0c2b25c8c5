import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { Escalation } from '@holdpoint/schema/notification'
import { useState } from 'react'
import { CheckBox } from '../../parts/check-box.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Field, INPUT } from '../../parts/field.tsx'
import { Switch } from '../../parts/switch.tsx'
import { ProjectFields } from './notice-settings-fields.tsx'
import { WhyOff } from './why-off.tsx'

export interface Receiver {
  readonly id: Escalation['to'][number]
  readonly name: string
}

export interface EscalationDialogProps {
  /** The one to edit; left out, a new one. */
  readonly escalation: Escalation | undefined
  readonly receivers: readonly Receiver[]
  readonly projects: readonly string[]
  /** Why it was not saved. */
  readonly failure: string | undefined
  onClose(): void
  onSave(escalation: Escalation): Promise<void>
}

const MAX_MINUTES = 10_080

export function EscalationDialog(props: EscalationDialogProps) {
  const { escalation, receivers, projects, failure, onClose, onSave } = props
  const [minutes, setMinutes] = useState(String(escalation?.afterMinutes ?? 5))
  const [to, setTo] = useState<Escalation['to']>(escalation?.to ?? [])
  const [chosen, setChosen] = useState<readonly string[] | undefined>(escalation?.projects)
  const [inQuietHours, setInQuietHours] = useState(escalation?.inQuietHours ?? false)
  const [isBusy, setBusy] = useState(false)
  const afterMinutes = Number(minutes)
  const isTime = Number.isInteger(afterMinutes) && afterMinutes >= 1 && afterMinutes <= MAX_MINUTES
  // Whoever is gone is left out when it is saved.
  const told = to.filter((id) => receivers.some((receiver) => receiver.id === id))
  const whyOff = told.length === 0 ? 'Choose who is told.' : undefined
  async function save() {
    setBusy(true)
    await onSave({ afterMinutes, to: told, inQuietHours, ...(chosen && { projects: [...chosen] }) })
    setBusy(false)
  }
  return (
    <Dialog
      open
      firm
      onClose={onClose}
      title={escalation ? 'Edit escalation' : 'Add an escalation'}
      footer={
        <>
          {whyOff !== undefined && <WhyOff text={whyOff} />}
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            variant="primary"
            busy={isBusy}
            off={!isTime || whyOff !== undefined}
            why={whyOff}
            onClick={() => void save()}
          >
            {escalation ? 'Save' : 'Add the escalation'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Field
          label="After so many minutes"
          hint="Counted from when the ask came, while nobody has seen it."
          failure={isTime ? undefined : `Between 1 and ${MAX_MINUTES.toLocaleString('en')} minutes.`}
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              value={minutes}
              onChange={(event) => setMinutes(event.target.value)}
              className={`${INPUT} max-w-32`}
            />
          )}
        </Field>
        <fieldset>
          <legend className="mb-0.5 text-sm font-medium">Tell</legend>
          {receivers.map(({ id, name }) => (
            <CheckBox
              key={id}
              label={<VisibleText text={name} />}
              checked={to.includes(id)}
              onChange={(isWanted) => setTo(isWanted ? [...to, id] : to.filter((each) => each !== id))}
            />
          ))}
        </fieldset>
        <ProjectFields chosen={chosen} projects={projects} onChange={setChosen} />
        <Switch
          label="Also in quiet hours"
          hint="It rings even where quiet hours are set."
          checked={inQuietHours}
          onChange={setInQuietHours}
        />
        <FailureNotice why={failure} />
      </div>
    </Dialog>
  )
}
