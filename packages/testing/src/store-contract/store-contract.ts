import { describe } from 'vitest'
import { appendContract } from './append-contract.ts'
import { callsContract } from './calls-contract.ts'
import { eventsContract } from './events-contract.ts'
import { findContract } from './find-contract.ts'
import { historyContract } from './history-contract.ts'
import { listsContract } from './lists-contract.ts'
import { restartContract } from './restart-contract.ts'
import { retirementContract } from './retirement-contract.ts'
import { type StoreFixture, storeWorld } from './store-world.ts'
import { usageContract } from './usage-contract.ts'
import { wholeContract } from './whole-contract.ts'

/** What every store promises. */
export function storeContract(name: string, create: () => Promise<StoreFixture>): void {
  describe(`${name} meets the store contract`, () => {
    const world = storeWorld(create)
    appendContract(world)
    eventsContract(world)
    restartContract(world)
    listsContract(world)
    findContract(world)
    historyContract(world)
    callsContract(world)
    usageContract(world)
    wholeContract(world)
    retirementContract(world)
  })
}
