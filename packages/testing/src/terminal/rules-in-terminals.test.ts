import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { steps, subagents, turns } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Effect } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LONG } from '../long.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'
import { type AttachedWorld, startAttachedWorld } from './attached-world.ts'
import { answerFirstRun, claudeExecutable } from './claude-tui.ts'

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
/** One where the dialog comes, or would for the main thread, and one where the hook waits itself. */
const WITH_SUBAGENT: readonly Mode[] = ['default', 'bypassPermissions']
/** Answers that a person gives once, for modes that ask before they begin. */
const ACCEPTED = { skipDangerousModePermissionPrompt: true, skipAutoPermissionPrompt: true }

async function addRules(world: AttachedWorld) {
  for (const [effect, pattern] of RULES) {
    const rule = { effect, agent: 'claude', pattern, scope: { kind: 'everywhere' } }
    await world.api.ok('POST', '/api/policy/rules', rule)
  }
}

/** A terminal in a folder of its own. */
async function begin(world: AttachedWorld, mode: Mode, files: readonly string[] = []) {
  const cwd = await mkdtemp(join(world.root, `in-${mode}-`))
  await mkdir(join(cwd, '.claude'))
  for (const name of files) await writeFile(join(cwd, name), '')
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
    const task = subagents([{ prompt: 'the subtask', steps: [bash('touch asked.txt')] }])
    const main = turns(steps(COMMANDS.map(bash)), task)
    world = await startAttachedWorld((call) => (call.subagent ? task(call) : main(call)), { settings: ACCEPTED })
    await addRules(world)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(MODES)('T35 deny, allow and ask in %s', async (mode) => {
    const { terminal, cwd, ask, files, session } = await begin(world, mode)
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
    if (WITH_SUBAGENT.includes(mode)) {
      await rm(join(cwd, 'asked.txt'))
      await world.prompt(terminal, 'send somebody')
      const inside = await ask('touch asked.txt')
      expect(inside).toMatchObject({ subagentName: 'general-purpose', askedBecause: { reason: expect.anything() } })
      expect(await files()).toEqual(['allowed.txt'])
      expect((await world.answer(inside, { kind: 'allow' })).status).toBe(200)
      await until(async () => (await files()).includes('asked.txt'), 'the file')
    }
    await terminal.close()
  })

  it('T65 ask in Holdpoint for a single prompt, which has no dialog', async () => {
    const { cwd, exit } = await beginWithoutScreen(world)
    const wanted = (command: string) => world.ask(({ context }) => context.command === command && context.cwd === cwd)
    await world.answer(await wanted('touch asked.txt'), { kind: 'allow' })
    await world.answer(await wanted('touch .claude/asked'), { kind: 'deny' })
    expect(await exit).toEqual([0, null])
    expect((await readdir(cwd)).sort()).toEqual(['allowed.txt', 'asked.txt'])
  })
})

/** `claude -p`: it has no screen on which a dialog could be. */
async function beginWithoutScreen(world: AttachedWorld) {
  const cwd = await mkdtemp(join(world.root, 'single-'))
  const env = claudeEnvironment({ home: world.home, url: world.model.url })
  await answerFirstRun(env, cwd)
  const args = ['-p', 'please begin', '--permission-mode', 'default']
  const child = spawn(claudeExecutable(), args, { cwd, env, stdio: 'ignore' })
  return { cwd, exit: once(child, 'exit') }
}

const said = (event: string, output: Record<string, unknown>) =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...output } })

/** Hooks and rules of the user's own settings that say the opposite of ours. */
const RIVALS = {
  ...ACCEPTED,
  permissions: { allow: ['Bash'] },
  hooks: {
    PermissionRequest: [
      {
        matcher: 'Bash',
        hooks: [
          {
            type: 'command',
            command: `echo '${said('PermissionRequest', { decision: { behavior: 'allow' } })}'`,
          },
        ],
      },
    ],
    // Where it finds a file of that name, it puts another command in the place of the one that a rule allows, after us.
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          {
            type: 'command',
            command: `[ -e rival ] && grep -q allowed.txt || exit 0; sleep 1; echo '${said('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch changed.txt' } })}'`,
          },
        ],
      },
    ],
  },
}

describe('rules, in terminals whose settings have other hooks', () => {
  let world: AttachedWorld
  beforeAll(async () => {
    world = await startAttachedWorld(steps(COMMANDS.map(bash)), { settings: RIVALS })
    await addRules(world)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(LONG ? MODES : (['plan', 'auto'] as const))('T65 hold in %s: the hook waits itself', async (mode) => {
    expect(world.attached).toContain('other hooks that could answer for you (PreToolUse, PermissionRequest)')
    const { terminal, ask, files, session } = await begin(world, mode)
    const first = await ask('touch asked.txt')
    expect(await files()).toEqual(['allowed.txt'])
    expect(terminal.screen()).not.toContain(DIALOG)
    expect((await world.answer(first, { kind: 'allow' })).status).toBe(200)
    const second = await ask('touch .claude/asked')
    expect(await files()).toEqual(['allowed.txt', 'asked.txt'])
    expect((await world.answer(second, { kind: 'deny', message: 'Not there.' })).status).toBe(200)
    const done = await session(({ state }) => state === 'user_turn')
    expect(world.told()).toContain('Not there.')
    expect(await files()).toEqual(['allowed.txt', 'asked.txt'])
    expect(done.frozen).toBeUndefined()
    expect(await settledAsks(world, done)).toEqual(OUTCOMES)
    await terminal.close()
  })

  it('T21 raise the alarm where another hook changes what a rule has allowed', async () => {
    const { terminal, files, session } = await begin(world, 'default', ['rival'])
    const frozen = await session(({ frozen }) => frozen === true)
    expect(await files()).toEqual(['changed.txt', 'rival'])
    expect(await settledAsks(world, frozen)).toContainEqual(['touch allowed.txt', 'allowed', 'rule'])
    await terminal.close()
  })

  it('T65 hold over the death of the gateway while the hook waits, and when the turn is stopped there', async () => {
    const { terminal, ask, files, session } = await begin(world, 'default')
    const first = await ask('touch asked.txt')
    await world.killGateway()
    await world.startGateway()
    const again = await ask('touch asked.txt')
    expect(again.id).toBe(first.id)
    expect(await files()).toEqual(['allowed.txt'])
    await until(async () => (await world.answer(again, { kind: 'allow' })).status === 200, 'the answer')
    const second = await ask('touch .claude/asked')
    expect(await files()).toEqual(['allowed.txt', 'asked.txt'])
    terminal.type('\u001b')
    expect((await world.settled(second.id)).outcome).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
    await session(({ state, openAsks }) => state === 'user_turn' && openAsks === 0)
    expect(await files()).toEqual(['allowed.txt', 'asked.txt'])
    await terminal.close()
  })
})

it('T65 lets no call run that cannot be read: half a character hides nothing from a rule', async () => {
  const lone = [bash('touch denied.txt #\ud800'), use('Bash', { command: 'touch denied.txt', description: '\udc00' })]
  await using world = await startAttachedWorld(steps(lone), { settings: ACCEPTED })
  await addRules(world)
  const { terminal, files } = await begin(world, 'bypassPermissions')
  await terminal.waitFor('● done')
  expect(await files()).toEqual([])
  expect(world.told()).toContain('cannot read this call')
  await terminal.close()
})

describe('with no gateway', () => {
  it('leaves calls to the terminal, or denies them, as attach was told', async () => {
    await using world = await startAttachedWorld(steps([bash('touch one.txt')]), { settings: ACCEPTED })
    await world.stopGateway()
    const { terminal, files } = await begin(world, 'default')
    await world.press(terminal, DIALOG, '1')
    await terminal.waitFor('● done')
    expect(await files()).toEqual(['one.txt'])
    await terminal.close()

    await world.command('attach', ['--when-stopped', 'deny'])
    for (const mode of LONG ? MODES : (['bypassPermissions'] as const)) {
      const denied = await begin(world, mode)
      await denied.terminal.waitFor('● done')
      expect(await denied.files()).toEqual([])
      expect(world.told()).toContain('Holdpoint is not running')
      await denied.terminal.close()
    }
  })
})
