import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Effect } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { until } from '../until.ts'
import { type AttachedWorld, startAttachedWorld } from './attached-world.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const MODES = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'dontAsk'] as const
type Mode = (typeof MODES)[number]

const bash = (command: string) => use('Bash', { command, description: 'a step' })
const DIALOG = 'Do you want to proceed?'
/** One for each effect, and one that Claude Code itself would run in bypassPermissions though a hook says ask. */
const COMMANDS = ['touch denied.txt', 'touch allowed.txt', 'touch asked.txt', 'touch .claude/asked']
/**
 * Of such a file dontAsk refuses every change by itself, and auto and plan ask in a dialog of their own, without a hook, where
 * the model's server has no check for them, as the demo model has none.
 */
const LEAVES_GUARDED: readonly Mode[] = ['plan', 'auto', 'dontAsk']
const RULES: readonly [Effect, string][] = [
  ['deny', 'Bash(touch denied.txt)'],
  ['allow', 'Bash(touch allowed.txt)'],
  ['ask', 'Bash(touch asked.txt)'],
  ['ask', 'Bash(touch .claude/asked)'],
]
/** Answers that a person gives once, for modes that ask before they begin. */
const ACCEPTED = { skipDangerousModePermissionPrompt: true, skipAutoPermissionPrompt: true }

async function addRules(world: AttachedWorld) {
  for (const [effect, pattern] of RULES) {
    const rule = { effect, agent: 'claude', pattern, scope: { kind: 'everywhere' } }
    await world.api.ok('POST', '/api/policy/rules', rule)
  }
}

/** A terminal in a folder of its own. */
async function begin(world: AttachedWorld, mode: Mode) {
  const cwd = join(world.root, `in ${mode}`)
  await mkdir(join(cwd, '.claude'), { recursive: true })
  const terminal = await world.terminal({ cwd, args: ['--permission-mode', mode] })
  await world.prompt(terminal, 'please begin')
  return {
    terminal,
    cwd,
    ask: (command: string) => world.ask(({ context }) => context.command === command && context.cwd === cwd),
    files: async () => (await readdir(cwd, { recursive: true })).filter((name) => name !== '.claude').sort(),
    session: (fits: (session: Session) => boolean = () => true) =>
      world.session((session) => session.cwd === cwd && fits(session)),
  }
}

async function settledAsks(world: AttachedWorld, { id }: Session) {
  const { asks } = await world.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${id}`)
  return asks.map(({ context, outcome }) => [context.command, outcome?.kind, outcome?.via]).sort()
}

const OUTCOMES = [
  ['touch .claude/asked', 'denied', 'api'],
  ['touch allowed.txt', 'allowed', 'rule'],
  ['touch asked.txt', 'allowed', 'api'],
  ['touch denied.txt', 'denied', 'rule'],
]

describe('rules, in terminals that are attached', () => {
  let world: AttachedWorld
  beforeAll(async () => {
    world = await startAttachedWorld(steps(COMMANDS.map(bash)), { settings: ACCEPTED })
    await addRules(world)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(MODES)('T35 deny, allow and ask in %s', async (mode) => {
    const { terminal, ask, files, session } = await begin(world, mode)
    const first = await ask('touch asked.txt')
    expect(first.askedBecause?.reason).toContain('Bash(touch asked.txt)')
    expect(await files()).toEqual(['allowed.txt'])
    expect(world.told()).toContain('Bash(touch denied.txt)')
    // Where the dialog would not come for some files, the hook waits itself, and none comes for any.
    if (mode === 'bypassPermissions') expect(terminal.screen()).not.toContain(DIALOG)
    else await terminal.waitFor(DIALOG)
    expect((await world.answer(first, { kind: 'allow' })).status).toBe(200)
    if (LEAVES_GUARDED.includes(mode)) {
      await terminal.waitFor(mode === 'dontAsk' ? '● done' : /can't check actions[\s\S]*(Esc to cancel|❯ No)/)
    } else {
      const second = await ask('touch .claude/asked')
      expect((await world.answer(second, { kind: 'deny', message: 'Not there.' })).status).toBe(200)
      await session(({ state }) => state === 'user_turn')
      expect(world.told()).toContain('Not there.')
    }
    expect(await files()).toEqual(['allowed.txt', 'asked.txt'])
    const done = await session()
    expect(done.frozen).toBeUndefined()
    const others = OUTCOMES.filter(([command]) => command !== 'touch .claude/asked')
    expect(await settledAsks(world, done)).toEqual(LEAVES_GUARDED.includes(mode) ? others : OUTCOMES)
    await until(async () => (await world.undelivered(done.id)).length === 0, 'all to be delivered')
    await terminal.close()
  })
})
