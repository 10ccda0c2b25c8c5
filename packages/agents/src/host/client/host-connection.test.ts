import { describe, expect, it } from 'vitest'
import { endOf } from '../../claude/sdk/agent-end.ts'
import { createHostFixture, isRunning, spawnScript, until } from '../fixtures/host-fixture.ts'
import { createHostConnection } from './host-connection.ts'

const fixture = createHostFixture()

describe.runIf(process.platform === 'linux')('a host that is killed with agents alive', () => {
  it('F56 has them ended at once by the next one, which nobody has to ask for', async () => {
    const dataDir = await fixture.dataDir()
    const connection = createHostConnection({ dataDir, hostMain: fixture.hostMain, isWanted: () => true })
    const first = await connection.client()
    const agent = await spawnScript(first, { script: 'process.stdin.on("end", () => {}); setInterval(() => {}, 1000)' })
    process.kill(first.pid, 'SIGKILL')
    const exit = await agent.exit
    expect(exit).toMatchObject({ problem: 'host-gone' })
    // What the session says then: no more than is known.
    expect(endOf(exit).error?.message).toMatch(/may still run for a moment/)
    expect(endOf(exit).error?.message).not.toMatch(/agent with it/)
    await until(async () => !(await isRunning(agent.pid)), 'the agent to end')
    const second = await connection.client()
    expect(second.pid).not.toBe(first.pid)
    await second.shutdown()
    await connection.close()
  })
})

it('[I5, F65] has ended the agents that no session wants before anything else can be started', async () => {
  const dataDir = await fixture.dataDir()
  const { hostMain } = fixture
  const before = createHostConnection({ dataDir, hostMain, isWanted: () => true })
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
  const [wanted, parked] = await Promise.all(
    ['wanted', 'parked'].map(async (key) => spawnScript(await before.client(), { key, script })),
  )
  await before.close()
  const after = createHostConnection({ dataDir, hostMain, isWanted: (key) => key === 'wanted' })
  const client = await after.client()
  expect(await Promise.all([wanted, parked].map((agent) => isRunning(agent?.pid ?? 0)))).toEqual([true, false])
  await client.shutdown()
  await after.close()
})
