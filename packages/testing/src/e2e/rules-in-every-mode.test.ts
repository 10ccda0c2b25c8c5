import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Effect } from '@holdpoint/schema/policy'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LONG } from '../long.ts'
import { type RealGateway, startRealGateway } from './real-gateway.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

/** Longer than anything in Claude Code or between us waits by itself. */
const LONG_WAIT_MS = 20 * 60_000

const MODES = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'dontAsk'] as const

const bash = (command: string) => use('Bash', { command })
/** One for each effect, and one that Claude Code itself would run in bypassPermissions though a hook says ask. */
const COMMANDS = ['touch denied.txt', 'touch allowed.txt', 'touch asked.txt', 'touch .claude/asked']
const RULES: readonly [Effect, string][] = [
  ['deny', 'Bash(touch denied.txt)'],
  ['allow', 'Bash(touch allowed.txt)'],
  ['ask', 'Bash(touch asked.txt)'],
  ['ask', 'Bash(touch .claude/asked)'],
]

/** Rules and hooks of the user's own settings that say the opposite of ours. */
const RIVALS = {
  permissions: { allow: ['Bash'] },
  hooks: {
    PermissionRequest: [
      {
        matcher: 'Bash',
        hooks: [
          {
            type: 'command',
            // Not for the call that Claude Code itself wants a person for.
            command: `grep -q claude/allowed || echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } })}'`,
          },
        ],
      },
    ],
  },
}

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({
    scripts: {
      all: steps(COMMANDS.map(bash)),
      denied: steps([bash('touch asked.txt')]),
      waits: steps([bash('touch asked.txt')]),
      wrapped: steps([bash('timeout 5 touch denied.txt'), bash('ls && touch denied.txt')]),
      guarded: steps([bash('touch .claude/allowed')]),
    },
  })
  await mkdir(join(real.home, '.claude'), { recursive: true })
  await writeFile(join(real.home, '.claude', 'settings.json'), JSON.stringify(RIVALS))
  for (const [effect, pattern] of [...RULES, ['allow', 'Bash(touch .claude/allowed)'] as const]) {
    const rule = { effect, agent: 'claude', pattern, scope: { kind: 'everywhere' } }
    await real.api.ok('POST', '/api/policy/rules', rule)
  }
})
afterAll(() => real[Symbol.asyncDispose]())

const prepare = (cwd: string) => mkdir(join(cwd, '.claude'))

describe('rules, with the real agent, whose own settings allow everything', () => {
  it.each(MODES)('T35 deny, allow and ask in %s', async (permissionMode) => {
    const session = await real.session('all', { permissionMode, prepare })
    // There nobody says whether a rule of the user's own settings wants a person, so no rule allows.
    const isPlan = permissionMode === 'plan'
    const first = await session.ask(({ context }) => context.command === 'touch asked.txt')
    expect(first.askedBecause?.reason).toContain('Bash(touch asked.txt)')
    expect(await session.file('denied.txt')).toBeUndefined()
    if (!isPlan) expect(await session.file('allowed.txt')).toBe('')
    expect(session.told()).toContain('Bash(touch denied.txt)')
    await session.answer(first, { kind: 'allow' })
    const second = await session.ask(({ id }) => id !== first.id)
    expect(second.context.command).toBe('touch .claude/asked')
    expect(await session.file('asked.txt')).toBe('')
    await session.answer(second, { kind: 'deny' })
    await session.idle()
    expect(await session.file('.claude/asked')).toBeUndefined()
    expect((await session.read()).frozen).toBeUndefined()
    const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
    expect(asks.map(({ context, outcome }) => [context.command, outcome?.kind, outcome?.via]).sort()).toEqual([
      ['touch .claude/asked', 'denied', 'api'],
      ...(isPlan ? [] : [['touch allowed.txt', 'allowed', 'rule']]),
      ['touch asked.txt', 'allowed', 'api'],
      ['touch denied.txt', 'denied', 'rule'],
    ])
  })

  it('T17 deny behind a program that runs programs, and as one of several commands', async () => {
    const session = await real.session('wrapped', { permissionMode: 'bypassPermissions' })
    await session.idle()
    expect(await session.file('denied.txt')).toBeUndefined()
    expect(await session.asks()).toEqual([])
  })

  it('T65 leave it to a person where Claude Code itself wants one after a rule’s yes', async () => {
    const session = await real.session('guarded', { prepare })
    const ask = await session.ask()
    expect(ask.askedBecause?.reason).toContain('requires a person')
    expect(await session.file('.claude/allowed')).toBeUndefined()
    await session.answer(ask, { kind: 'allow' })
    await session.idle()
    expect(await session.file('.claude/allowed')).toBe('')
  })

  it.runIf(LONG)(
    'ask in every mode, and hear the answer after a wait of 20 minutes',
    { timeout: LONG_WAIT_MS + 300_000 },
    async () => {
      const waiting = await Promise.all(
        MODES.map(async (permissionMode) => {
          const session = await real.session('waits', { permissionMode })
          return { session, ask: await session.ask() }
        }),
      )
      await setTimeout(LONG_WAIT_MS)
      for (const { session, ask } of waiting) {
        expect(await session.file('asked.txt')).toBeUndefined()
        await session.answer(ask, { kind: 'allow' })
        await session.idle()
        expect(await session.file('asked.txt')).toBe('')
      }
    },
  )

  it('hold over the death of the gateway while the gate waits, and the recorded ask stays when its rule is removed', async () => {
    const session = await real.session('waits', { permissionMode: 'bypassPermissions' })
    const ask = await session.ask()
    const { rules } = await real.api.ok<{ rules: { id: string; pattern: string }[] }>('GET', '/api/policy')
    const asking = rules.find(({ pattern }) => pattern === 'Bash(touch asked.txt)')
    await real.api.call('DELETE', `/api/policy/rules/${asking?.id}`)
    await real.gateway.kill9()
    await real.restart()
    const again = await session.ask()
    expect(again.id).toBe(ask.id)
    expect(await session.file('asked.txt')).toBeUndefined()
    await session.answer(again, { kind: 'deny' })
    await session.idle()
    expect(await session.file('asked.txt')).toBeUndefined()
  })
})
