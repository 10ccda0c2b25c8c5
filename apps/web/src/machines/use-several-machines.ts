import { useMachines } from '@holdpoint/react/hooks/use-machines'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'

const NONE: readonly KnownMachine[] = []

/** The machines, where there is one to choose from; none where there is one gateway. */
export function useSeveralMachines(): readonly KnownMachine[] {
  const machines = useMachines() ?? NONE
  return machines.length > 1 ? machines : NONE
}
