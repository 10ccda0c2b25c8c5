import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import type { NodeId } from '@holdpoint/schema/id'
import { useState } from 'react'
import { useSeveralMachines } from './use-several-machines.ts'

export interface MachineChoice {
  /** None where there is one gateway. */
  readonly machines: readonly KnownMachine[]
  readonly chosen: KnownMachine | undefined
  choose(id: NodeId): void
}

/** A machine to look at or to start on. It never changes by itself: what a person sees is where things happen. */
export function useMachineChoice(
  first: (machines: readonly KnownMachine[]) => KnownMachine | undefined,
): MachineChoice {
  const machines = useSeveralMachines()
  const [id, choose] = useState<NodeId>()
  const chosen = machines.find((machine) => machine.id === id)
  const next = chosen ?? first(machines)
  if (next && next.id !== id) choose(next.id)
  return { machines, chosen: next, choose }
}

/** The one that this page talks to. */
export function thisMachine(machines: readonly KnownMachine[]): KnownMachine | undefined {
  return machines.find(({ isThis }) => isThis)
}
