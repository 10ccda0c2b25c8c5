import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import type { Clock } from '@holdpoint/core/clock'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import { startFakeTerminal } from '@holdpoint/testing/terminal/fake-terminal'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

const ARMING_MS = 500
const APPEAR_MS = 5000
const SOON = { interval: 5 }
const BASH = { tool_name: 'Bash', tool_input: { command: 'rm -r x' } }
const DENY = { effect: 'deny', agent: '*', pattern: 'Bash(rm *)', scope: { kind: 'everywhere' } }

/** A clock on which no wait of this length ever ends. */
function without(never: number): Clock {
  return { ...systemClock, after: (ms, callback) => (ms === never ? () => {} : systemClock.after(ms, callback)) }
}

describe('terminals of another machine', () => {
  it('T68 a yes that was typed for one ask is not taken for the next one, repeated at another gateway', async () => {
    const shared = createMemoryCluster()
    const arming: (() => void)[] = []
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms !== ARMING_MS) return systemClock.after(ms, callback)
        arming.push(callback)
        return () => {}
      },
    }
    const driven = createSyntheticDriver('attached')
    const start = (name: string, driver = driven.driver) =>
      startTestGateway({ ...shared.node(name), clock, drivers: () => [driver], terminals: undefined as never })
    await using a = await start('machine a')
    await using b = await start('machine b', createSyntheticDriver('attached').driver)
    const { id } = await a.api.ok<{ id: string }>('POST', '/api/sessions', { agent: 'attached', cwd: a.dataDir })
    const agent = await driven.agentOf(id as never)
    const shown = async (requestId: string) => {
      const raised = await a.openAsk(agent, { requestId })
      await expect.poll(async () => (await b.api.openAsks()).map((ask) => ask.id), SOON).toEqual([raised.ask.id])
      for (const callback of arming.splice(0)) callback()
      return raised
    }
    const type = ({ api }: TestGateway) =>
      api.call('POST', '/api/pty-input', { sessionID: id, input: '1\r' }, { 'idempotency-key': 'the one yes' })
    const first = await shown('first')
    expect(await type(a)).toMatchObject({ status: 202 })
    expect(await first.outcome).toMatchObject({ kind: 'allowed', via: 'pty-input' })
    const second = await shown('second')
    for (const gateway of [b, a, b]) expect(await type(gateway)).toMatchObject({ status: 202 })
    expect((await b.api.openAsks()).map((ask) => ask.id)).toEqual([second.ask.id])
    expect(await b.api.answer(second.ask, { kind: 'deny' })).toMatchObject({ status: 200 })
    expect(await second.outcome).toMatchObject({ kind: 'denied' })
  })

  it('rules hold in a terminal whose conversation another machine has as well, and no hook waits for its terminals', async () => {
    const root = await mkdtemp(join(tmpdir(), 'hp-two-terminals-'))
    const shared = createMemoryCluster()
    const terminals: AsyncDisposable[] = []
    const machine = async (name: string) => {
      const on = shared.node(name)
      const [config, cwd, dataDir] = ['claude', 'project', 'data'].map((each) => join(root, name, each)) as [
        string,
        string,
        string,
      ]
      for (const folder of [config, cwd, dataDir]) await mkdir(folder, { recursive: true })
      const attached = createAttachedAgents({ records: on.store.records, clock: without(APPEAR_MS), warn: () => {} })
      const gateway = await startTestGateway({
        ...on,
        dataDir,
        terminals: { attached, projects: join(config, 'projects') },
      })
      return {
        gateway,
        node: on.cluster.node,
        async terminal(id?: string) {
          const terminal = await startFakeTerminal({ config, cwd, dataDir, ...(id !== undefined && { id }) })
          terminals.push(terminal)
          return terminal
        },
      }
    }
    const [a, b] = [await machine('a'), await machine('b')]
    try {
      await a.gateway.api.ok('POST', '/api/policy/rules', DENY)
      const first = await a.terminal()
      await first.hook('SessionStart', { source: 'startup' })
      const attachedAt = async (node: string) =>
        [...b.gateway.gateway.ledger.views().values()].filter(
          ({ session }) => session.attached && session.node === node && session.vendorSessionId === first.id,
        ).length
      await expect.poll(() => attachedAt(a.node), SOON).toBe(1)
      await a.gateway.terminal()
      const copy = await b.terminal(first.id)
      const { body } = await copy.hook('PreToolUse', BASH)
      expect(body).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
      expect(await attachedAt(b.node)).toBe(1)
      expect(await attachedAt(a.node)).toBe(1)
    } finally {
      for (const { gateway } of [a, b]) await gateway.gateway.close()
      for (const terminal of terminals) await terminal[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    }
  })
})
