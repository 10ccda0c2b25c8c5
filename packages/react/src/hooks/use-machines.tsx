import type { Session } from '@holdpoint/schema/session'
import { useSyncExternalStore } from 'react'
import { machineListOf } from '../machines/machine-list.ts'
import { type KnownMachine, machineOf } from '../machines/machine-of.ts'
import { useClient } from '../providers/holdpoint-provider.tsx'

const NONE: readonly KnownMachine[] = []

/** The machines whose gateways share one log. None where there is one gateway; undefined until they are known. */
export function useMachines(): readonly KnownMachine[] | undefined {
  const list = machineListOf(useClient())
  return useSyncExternalStore(list.subscribe, list.getMachines, list.getMachines)
}

/** The machine that a session's agent is on, where there are several. */
export function useMachineOf(session: Pick<Session, 'node'> | undefined): KnownMachine | undefined {
  const list = machineListOf(useClient())
  const find = () => machineOf(list.getMachines() ?? NONE, session)
  return useSyncExternalStore(list.subscribe, find, find)
}
