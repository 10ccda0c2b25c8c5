import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useMachines } from '@holdpoint/react/hooks/use-machines'
import { type KnownMachine, machineOf } from '@holdpoint/react/machines/machine-of'

/** The sessions of a machine that have not ended, and their open asks: as far as this browser may see them. */
export function useMachineLoad({ id }: KnownMachine): { readonly sessions: number; readonly asks: number } {
  const machines = useMachines() ?? []
  return useGateway((state) => {
    const own = [...state.sessions.values()].filter(
      (session) => session.state !== 'dead' && isOn(id, machines, session),
    )
    return { sessions: own.length, asks: own.reduce((sum, { openAsks }) => sum + openAsks, 0) }
  })
}

function isOn(id: string, machines: readonly KnownMachine[], session: Parameters<typeof machineOf>[1]): boolean {
  return machines.length === 1 || machineOf(machines, session)?.id === id
}
