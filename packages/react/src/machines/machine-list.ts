import type { GatewayClient } from '@holdpoint/client/gateway-client'
import type { Machine } from '@holdpoint/schema/endpoints/machines'
import { isCutOff, type KnownMachine } from './machine-of.ts'

/** One that does not answer: its last heartbeat is the same one, however often it is read. */
const SAME_BEAT_MS = 2000
/** Ten years: a gateway that stops takes its last heartbeat back. */
const STOPPED_MS = 10 * 365 * 86_400_000

const byClient = new WeakMap<GatewayClient, MachineList>()
export type MachineList = ReturnType<typeof createMachineList>

/** The machines of a client's gateway: one list, however many look at it. */
export function machineListOf(client: GatewayClient): MachineList {
  const list = byClient.get(client) ?? createMachineList(client)
  byClient.set(client, list)
  return list
}

/** Read anew whenever they may have changed, while anybody looks. What has not changed stays the same object. */
export function createMachineList(client: Pick<GatewayClient, 'getState' | 'subscribe' | 'machines'>) {
  const listeners = new Set<() => void>()
  let machines: readonly KnownMachine[] | undefined
  /** The last change that was read. */
  let read = Number.NEGATIVE_INFINITY
  let isReading = false
  let unsubscribe = () => {}

  function look() {
    const { link, machineChanges } = client.getState()
    if (link !== 'live' || isReading || machineChanges === read || listeners.size === 0) return
    isReading = true
    client.machines.list().then(
      (listed) => {
        // Whoever may not see them sees one gateway.
        take(listed.ok ? listed.value : listed.status === 0 ? undefined : [])
        done(machineChanges)
      },
      // It was closed.
      () => done(machineChanges),
    )
  }
  function done(change: number) {
    isReading = false
    read = change
    look()
  }
  function take(listed: readonly Machine[] | undefined) {
    if (!listed) return
    const isCut = isCutOff(listed)
    const next = listed.map((machine) =>
      // Without its database a gateway hears of nobody: that says nothing about the others.
      known(isCut && !machine.isThis ? { ...machine, isReachable: true } : machine, machines),
    )
    if (machines && next.length === machines.length && next.every((machine, at) => machine === machines?.[at])) return
    machines = next
    for (const listener of listeners) listener()
  }

  return {
    subscribe(listener: () => void) {
      if (listeners.size === 0) unsubscribe = client.subscribe(look)
      listeners.add(listener)
      look()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) unsubscribe()
      }
    },
    /** Undefined until they are known. */
    getMachines: () => machines,
  }
}

function known({ beatAgeMs, ...machine }: Machine, before: readonly KnownMachine[] = []): KnownMachine {
  const heardAt = beatAgeMs > STOPPED_MS ? undefined : Date.now() - beatAgeMs
  const next = { ...machine, ...(heardAt !== undefined && { heardAt }) }
  const last = before.find(({ id }) => id === machine.id)
  if (!last) return next
  const { heardAt: lastHeardAt, ...lastMachine } = last
  const isSameBeat = machine.isReachable || Math.abs((heardAt ?? 0) - (lastHeardAt ?? 0)) < SAME_BEAT_MS
  return isSameBeat && JSON.stringify(machine) === JSON.stringify(lastMachine) ? last : next
}
