import { render } from '@holdpoint/core/text/visible-text'
import { isAway, type KnownMachine } from '@holdpoint/react/machines/machine-of'
import type { FilterOption } from '../parts/filter-select.tsx'

/** What it is called, for places that take plain text alone. */
export function machineName({ name }: Pick<KnownMachine, 'name'>): string {
  return render(name, { prose: true })
}

/** To narrow a list down. */
export function machineOptions(machines: readonly KnownMachine[]): readonly FilterOption[] {
  return machines.map((machine) => ({ value: machine.id, label: machineName(machine) }))
}

/** Of something past, whose machine may not be on the list any more. */
export function pastMachineName({ name }: { readonly name?: string | undefined }): string {
  return name ?? 'a forgotten machine'
}

/** Why nothing can be read or done on it now. */
export function whyAway(machine: KnownMachine): string | undefined {
  return isAway(machine) ? 'not reachable' : undefined
}

/** Why no session can be started on it now. */
export function whyNoSession(machine: KnownMachine): string | undefined {
  return whyAway(machine) ?? (machine.isDraining ? 'takes no new sessions' : undefined)
}

/** The one to begin with: the wanted one, this one, or any that takes sessions. */
export function machineToStart(
  machines: readonly KnownMachine[],
  wanted: string | undefined,
): KnownMachine | undefined {
  const able = machines.filter((machine) => whyNoSession(machine) === undefined)
  return able.find(({ id }) => id === wanted) ?? able.find(({ isThis }) => isThis) ?? able[0] ?? machines[0]
}
