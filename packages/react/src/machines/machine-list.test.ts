import type { GatewayState, Result } from '@holdpoint/client/gateway-client'
import type { Machine } from '@holdpoint/schema/endpoints/machines'
import { expect, it, vi } from 'vitest'
import { sampleMachine } from '../testing/sample-machine.ts'
import { createMachineList } from './machine-list.ts'

const machine = (given: Partial<Machine> = {}): Machine => {
  const { heardAt, ...sample } = sampleMachine()
  return { ...sample, beatAgeMs: 100, ...given }
}
const REFUSED: Result<readonly Machine[]> = { ok: false, status: 403, code: 'forbidden', message: '' }
const UNREACHABLE: Result<readonly Machine[]> = { ok: false, status: 0, code: 'unreachable', message: '' }

/** A list, and the client that it reads from: the test says what its gateway replies. */
function aList() {
  const listeners = new Set<() => void>()
  const replies: ((result: Result<readonly Machine[]>) => void)[] = []
  let state = { link: 'connecting', machineChanges: 0 } as GatewayState
  const list = createMachineList({
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    machines: {
      list: () => new Promise<Result<readonly Machine[]>>((resolve) => replies.push(resolve)),
    } as never,
  })
  return {
    list,
    listeners,
    reads: () => replies.length,
    change(changes: Partial<GatewayState>) {
      state = { ...state, ...changes }
      for (const listener of listeners) listener()
    },
    async reply(result: Result<readonly Machine[]>) {
      replies.at(-1)?.(result)
      await vi.waitFor(() => Promise.resolve())
    },
  }
}

it('reads when the link is live, and once more for what changed while it read', async () => {
  const { list, reads, change, reply } = aList()
  list.subscribe(() => {})
  expect(reads()).toBe(0)
  change({ link: 'live', machineChanges: 1 })
  change({ machineChanges: 2 })
  expect(reads()).toBe(1)
  await reply({ ok: true, value: [machine()] })
  expect(reads()).toBe(2)
  await reply({ ok: true, value: [machine({ name: 'renamed' })] })
  expect(reads()).toBe(2)
  expect(list.getMachines()).toMatchObject([{ name: 'renamed' }])
})

it('reads nothing while nobody looks, and what changed meanwhile when somebody does', async () => {
  const { list, listeners, reads, change, reply } = aList()
  const stop = list.subscribe(() => {})
  change({ link: 'live', machineChanges: 1 })
  await reply({ ok: true, value: [] })
  stop()
  expect(listeners.size).toBe(0)
  change({ machineChanges: 5 })
  expect(reads()).toBe(1)
  list.subscribe(() => {})
  expect(reads()).toBe(2)
})

it('says of no machine that it is away while this gateway hears of nobody', async () => {
  const { list, change, reply } = aList()
  list.subscribe(() => {})
  const here = machine({ isThis: true, isReachable: false })
  change({ link: 'live', machineChanges: 1 })
  await reply({ ok: true, value: [here, machine({ isReachable: false })] })
  expect(list.getMachines()).toMatchObject([{ isReachable: false }, { isReachable: true }])
  change({ machineChanges: 2 })
  await reply({ ok: true, value: [{ ...here, isReachable: true }, machine({ isReachable: false })] })
  expect(list.getMachines()).toMatchObject([{ isReachable: true }, { isReachable: false }])
})

it('tells of what is another picture, and of no heartbeat', async () => {
  const { list, change, reply } = aList()
  const tell = vi.fn()
  list.subscribe(tell)
  change({ link: 'live', machineChanges: 1 })
  await reply({ ok: true, value: [machine()] })
  expect(tell).toHaveBeenCalledTimes(1)
  const [before] = list.getMachines() ?? []
  change({ machineChanges: 2 })
  await reply({ ok: true, value: [machine({ beatAgeMs: 900 })] })
  expect(tell).toHaveBeenCalledTimes(1)
  expect(list.getMachines()?.[0]).toBe(before)
  change({ machineChanges: 3 })
  await reply({ ok: true, value: [machine({ isReachable: false, beatAgeMs: 60_000 })] })
  expect(tell).toHaveBeenCalledTimes(2)
  // It was there in between: the silence is another one.
  change({ machineChanges: 4 })
  await reply({ ok: true, value: [machine({ isReachable: false, beatAgeMs: 4000 })] })
  expect(tell).toHaveBeenCalledTimes(3)
})

it('knows a gateway that was stopped, and so is not heard of any more', async () => {
  const { list, change, reply } = aList()
  list.subscribe(() => {})
  change({ link: 'live', machineChanges: 1 })
  await reply({ ok: true, value: [machine({ isReachable: false, beatAgeMs: Date.now() })] })
  expect(list.getMachines()?.[0]).not.toHaveProperty('heardAt')
})

it('keeps what it knows while the gateway does not answer, and shows none to who may not see them', async () => {
  const { list, change, reply } = aList()
  list.subscribe(() => {})
  change({ link: 'live', machineChanges: 1 })
  await reply({ ok: true, value: [machine()] })
  change({ machineChanges: 2 })
  await reply(UNREACHABLE)
  expect(list.getMachines()).toHaveLength(1)
  change({ machineChanges: 3 })
  await reply(REFUSED)
  expect(list.getMachines()).toEqual([])
})
