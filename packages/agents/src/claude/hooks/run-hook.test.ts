import { expect, it } from 'vitest'
import { ALLOW, FakeGateway, reply } from './fixtures/fake-gateway.ts'
import { type HookTimes, runHook } from './run-hook.ts'

const TIMES: HookTimes = { replyMs: 60_000, unreachableMs: 60_000, heldMs: 60_000 }

function ask({ dataDir }: FakeGateway, times: Partial<HookTimes>) {
  return runHook(
    { dataDir, input: Buffer.from('{}'), parent: process.pid, isLife: false },
    { ...TIMES, ...times },
  ).then((output) => output?.toString())
}

it('gives up on a gateway that stays away', async () => {
  await using gateway = await FakeGateway.start(() => void gateway.stop())
  expect(await ask(gateway, { unreachableMs: 250 })).toBeUndefined()
})

it('gives up on one that only ever breaks off', async () => {
  await using gateway = await FakeGateway.start((call) => call.response.destroy())
  expect(await ask(gateway, { unreachableMs: 250 })).toBeUndefined()
  expect(gateway.calls.length).toBeGreaterThan(1)
})

it('has the whole time again after it was held', async () => {
  await using gateway = await FakeGateway.start((call, nth) =>
    nth < 5 ? call.response.destroy() : reply(call, 200, ALLOW),
  )
  // A fresh start each time, so the pauses do not grow past the limit either.
  expect(await ask(gateway, { unreachableMs: 150, heldMs: -1 })).toBe(JSON.stringify(ALLOW))
})
