import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steps, turns } from '@holdpoint/demo-model/scenarios'
import { type ToolUseBlock, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RealGateway, startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const REASON = 'It runs an unknown script.'
/** A command that the check of auto mode refuses. */
const flagged = (command: string): ToolUseBlock => ({ ...use('Bash', { command }), flagged: REASON })
const run = flagged('sh run.sh')
const changed = flagged('sh run.sh again')

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({
    scripts: {
      repeated: steps([run, run, run]),
      changed: steps([run, changed, run]),
      denied: steps([run, run]),
      turns: turns(steps([run]), steps([run])),
      ruled: steps([run, run]),
    },
  })
})
afterAll(() => real[Symbol.asyncDispose]())

async function start(script: string, permissionMode: PermissionMode = 'auto') {
  const prepare = (cwd: string) => writeFile(join(cwd, 'run.sh'), 'echo ran >> runs.txt\n')
  const session = await real.session(script, { permissionMode, prepare })
  return {
    ...session,
    /** How often the script has run: each time is a line in a file. */
    runs: async () => (await session.file('runs.txt'))?.trim().split('\n').length ?? 0,
    /** What was asked, and how it ended, oldest first. */
    async settled() {
      const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
      return asks
        .map(({ appeal, context, outcome }) => [context.command, appeal?.reason, outcome?.kind, outcome?.via])
        .reverse()
    },
  }
}

const other =
  (...known: readonly Ask[]) =>
  (ask: Ask) =>
    known.every(({ id }) => id !== ask.id)

describe('what auto mode refuses, with the real agent', () => {
  it('[I1] is put to people with its reason, and after a yes the same call runs once', async () => {
    const session = await start('repeated')
    const first = await session.ask()
    expect(first).toMatchObject({
      kind: 'approval',
      appeal: { reason: REASON },
      context: { command: 'sh run.sh', cwd: session.cwd },
    })
    expect(first.remember).toBeUndefined()
    expect(await session.runs()).toBe(0)
    await session.answer(first, { kind: 'allow' })
    // The second call used the yes up. The third one is refused again.
    const third = await session.ask(other(first))
    expect(third.appeal).toEqual({ reason: REASON })
    expect(await session.runs()).toBe(1)
    await session.answer(third, { kind: 'deny' })
    await session.idle()
    expect(await session.runs()).toBe(1)
    expect(await session.settled()).toEqual([
      ['sh run.sh', REASON, 'allowed', 'api'],
      ['sh run.sh', undefined, 'allowed', 'appeal'],
      ['sh run.sh', REASON, 'denied', 'api'],
    ])
    expect((await session.read()).frozen).toBeUndefined()
  })

  it('[I6] is refused again if anything in it is changed, and the yes is still there for the same call', async () => {
    const session = await start('changed')
    const first = await session.ask()
    await session.answer(first, { kind: 'allow' })
    const second = await session.ask(other(first))
    expect(second).toMatchObject({ appeal: { reason: REASON }, context: { command: 'sh run.sh again' } })
    expect(await session.runs()).toBe(0)
    await session.answer(second, { kind: 'deny' })
    await session.idle()
    expect(await session.runs()).toBe(1)
  })

  it('[I6] is asked about again if the script that it runs has changed since the yes', async () => {
    const session = await start('repeated')
    const first = await session.ask()
    await writeFile(join(session.cwd, 'run.sh'), 'echo evil >> runs.txt\n')
    // What was shown is gone: the yes does not count, and the new content is asked about.
    expect((await real.api.answer(first, { kind: 'allow' })).status).toBe(409)
    const again = await session.ask(other(first))
    expect(again).toMatchObject({ appeal: { reason: REASON }, replaces: first.id })
    expect(await session.runs()).toBe(0)
    await session.answer(again, { kind: 'deny', interrupt: true })
    await session.idle()
    expect(await session.runs()).toBe(0)
  })

  it('[I4] stays refused after a no', async () => {
    const session = await start('denied')
    const first = await session.ask()
    await session.answer(first, { kind: 'deny' })
    const second = await session.ask(other(first))
    expect(second.appeal).toEqual({ reason: REASON })
    await session.answer(second, { kind: 'deny' })
    await session.idle()
    expect(await session.runs()).toBe(0)
    expect(session.told()).not.toContain('retry this tool call')
  })

  it('has to be allowed anew in the next turn', async () => {
    const session = await start('turns')
    const first = await session.ask()
    await session.answer(first, { kind: 'allow' })
    await session.idle()
    await session.send('scenario:turns once more')
    const second = await session.ask(other(first))
    expect(second.appeal).toEqual({ reason: REASON })
    expect(await session.runs()).toBe(0)
    await session.answer(second, { kind: 'deny' })
    await session.idle()
    expect(await session.runs()).toBe(0)
  })

  it.each(['ask', 'deny'] as const)('T32 after a yes a rule that says %s still holds', async (effect) => {
    const session = await start('ruled')
    const first = await session.ask()
    const rule = {
      effect,
      agent: 'claude',
      pattern: 'Bash(sh run.sh)',
      scope: { kind: 'session', sessionId: session.id },
    }
    await real.api.ok('POST', '/api/policy/rules', rule)
    await session.answer(first, { kind: 'allow' })
    if (effect === 'ask') {
      const second = await session.ask(other(first))
      expect(second.appeal).toBeUndefined()
      await session.answer(second, { kind: 'deny' })
    }
    await session.idle()
    expect(await session.runs()).toBe(0)
  })

  it('[F1, T65] is the same ask after the gateway was killed, and a yes then counts once', async () => {
    const session = await start('repeated')
    const first = await session.ask()
    await real.gateway.kill9()
    await real.restart()
    expect((await session.asks()).map(({ id }) => id)).toEqual([first.id])
    await session.answer(first, { kind: 'allow' })
    const third = await session.ask(other(first))
    expect(await session.runs()).toBe(1)
    expect((await session.read()).epoch).toBe(1)
    await session.answer(third, { kind: 'deny' })
    await session.idle()
    expect(await session.runs()).toBe(1)
  })

  it.each(['before-delivery:1', 'before-record:1'])(
    '[F2, I1] runs at most once if the gateway dies with the yes on record (%s): people are asked again',
    async (point) => {
      const session = await start('repeated')
      const first = await session.ask()
      await real.gateway.kill9()
      await real.restart({ FAIL_AT: point })
      await real.api.answer(first, { kind: 'allow' }).catch(() => undefined)
      await real.gateway.exited
      await real.restart()
      const again = await session.ask(other(first))
      expect(again.appeal).toEqual({ reason: REASON })
      const before = await session.runs()
      expect(before).toBeLessThanOrEqual(1)
      await session.answer(again, { kind: 'deny', interrupt: true })
      await session.idle()
      expect(await session.runs()).toBe(before)
    },
  )

  it('in plan mode is asked of nobody, for a yes would not be heard there', async () => {
    const session = await start('denied', 'plan')
    await session.idle()
    expect(await session.runs()).toBe(0)
    expect(await session.settled()).toEqual([])
  })
})
