import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import type { NodeId } from '@holdpoint/schema/id'
import type { Ref } from 'react'
import { Field, INPUT } from '../parts/field.tsx'
import { machineName } from './machine-words.ts'

export interface MachineSelectProps {
  readonly machines: readonly KnownMachine[]
  readonly value: KnownMachine
  readonly hint?: string
  /** Why one cannot be chosen now. */
  whyNot(machine: KnownMachine): string | undefined
  readonly ref?: Ref<HTMLSelectElement>
  onChange(id: NodeId): void
}

/** One of several machines. What was chosen stays chosen also when it cannot be used any more, and it is said why. */
export function MachineSelect({ machines, value, hint, whyNot, ref, onChange }: MachineSelectProps) {
  const why = whyNot(value)
  return (
    <Field
      label="Machine"
      hint={hint}
      failure={why && `${machineName(value)} ${why === 'not reachable' ? 'is not reachable' : why} at the moment.`}
    >
      {(control) => (
        <select
          {...control}
          ref={ref}
          value={value.id}
          onChange={(event) => {
            const chosen = machines.find(({ id }) => id === event.target.value)
            if (chosen) onChange(chosen.id)
          }}
          className={INPUT}
        >
          {machines.map((machine) => {
            const off = whyNot(machine)
            const notes = [machine.isThis ? 'this gateway' : undefined, off].filter((note) => note !== undefined)
            return (
              <option key={machine.id} value={machine.id} disabled={off !== undefined && machine.id !== value.id}>
                {machineName(machine)}
                {notes.length > 0 && ` (${notes.join(', ')})`}
              </option>
            )
          })}
        </select>
      )}
    </Field>
  )
}
