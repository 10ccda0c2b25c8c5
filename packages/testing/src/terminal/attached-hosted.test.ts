import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { familyOf, runningProcesses } from '@holdpoint/agents/processes/processes'
import { steps, subagents, turns } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'
import { type AttachedWorld, startAttachedWorld } from './attached-world.ts'
import { answerFirstRun, claudeExecutable } from './claude-tui.ts'
import { viewHosted } from './hosted-client.ts'

const bash = (command: string) => use('Bash', { command, description: 'a step' })
const DIALOG = 'Do you want to proceed?'
const CLAUDE = ['--permission-mode', 'default']

/** Attached, and run with Holdpoint as well. */
async function host(world: AttachedWorld, command: string, args: readonly string[] = []) {
  const env = claudeEnvironment({ home: world.home, url: world.model.url })
  await answerFirstRun(env, world.cwd)
  const { id } = await world.api.ok<Session>('POST', '/api/terminals', {
    command,
    args,
    cwd: world.cwd,
    cols: 100,
    rows: 40,
    env: { ...env, CLAUDE: claudeExecutable() },
  })
  const look = () => viewHosted({ url: world.gateway.url, token: PROCESS_TOKEN, sessionId: id })
  let screen = await look()
  return {
    id,
    get screen() {
      return screen
    },
    async lookAgain() {
      screen.close()
      screen = await look()
    },
    async write(text: string) {
      screen.type(text)
      await screen.waitFor(text)
      screen.type('\r')
    },
    asks: () => world.api.openAsks(id),
    items: () => world.items(id),
  }
}

const sessionsOf = async (world: AttachedWorld) =>
  (await world.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions

const textsOf = (items: readonly Item[]) => items.flatMap((item) => (item.type === 'message' ? [item.text] : []))

/** The Claude Code that runs. It notes itself in a file that has its pid for a name. */
const claudeOf = (world: AttachedWorld): Promise<number> =>
  until(async () => {
    const names = await readdir(join(world.home, '.claude', 'sessions')).catch(() => [])
    const pids = names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []).map(Number)
    const running = new Set((await runningProcesses())?.map(({ pid }) => pid))
    return pids.find((pid) => running.has(pid))
  }, 'Claude Code')

/** Nothing runs below Claude Code while it waits for an answer but its hooks. */
async function killHooks(world: AttachedWorld) {
  const claude = await claudeOf(world)
  const family = familyOf(claude, (await runningProcesses()) ?? [])
  const hooks = family.flatMap(({ pid }) => (pid === claude ? [] : [pid]))
  expect(hooks).not.toEqual([])
  for (const pid of hooks) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // It may have ended together with the one before it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

describe('a hosted terminal on a machine that is attached', { timeout: 60_000 }, () => {
  it.concurrent('is one session: its asks come by hook, its thread is there once, over a crash and /clear', async () => {
    await using world = await startAttachedWorld(steps([bash('touch one.txt'), bash('touch two.txt')]))
    const hosted = await host(world, claudeExecutable(), CLAUDE)
    await hosted.screen.waitFor('manual mode')
    await hosted.write('please begin')
    const first = await world.ask()
    expect(first).toMatchObject({ sessionId: hosted.id, agent: 'terminal' })
    expect(first.suggestions.length).toBeGreaterThan(0)
    await hosted.screen.waitFor(DIALOG)
    // Longer than it takes to read it off the screen.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    expect(await world.api.openAsks()).toHaveLength(1)
    // What only a hook can hand on.
    const edited = { kind: 'allow', updatedInput: { command: 'touch edited.txt', description: 'mine' } }
    expect(await world.answer(first, edited)).toMatchObject({ status: 200 })
    await hosted.screen.waitFor('Allowed by PermissionRequest hook')
    const second = await world.ask(({ id }) => id !== first.id)
    expect([await world.exists('one.txt'), await world.exists('edited.txt')]).toEqual([false, true])

    await world.killGateway()
    await world.startGateway()
    await hosted.lookAgain()
    expect(await world.api.openAsks()).toMatchObject([{ id: second.id, sessionId: hosted.id }])
    const deny = { kind: 'deny', message: 'Use another name.' }
    await until(async () => (await world.answer(second, deny)).status === 200, 'the answer')
    await hosted.screen.waitFor('● done')
    expect(world.told()).toContain('Use another name.')
    await until(async () => textsOf(await hosted.items()).includes('done'), 'the last words')
    expect(textsOf(await hosted.items())).toEqual(['please begin', 'done'])
    expect((await hosted.items()).filter(({ type }) => type === 'ask')).toHaveLength(2)
    expect((await hosted.items()).filter(({ type }) => type === 'notice')).toEqual([])
    expect(await sessionsOf(world)).toMatchObject([{ id: hosted.id, openAsks: 0 }])

    const before = await world.read(hosted.id)
    await hosted.write('/clear')
    await until(
      async () => (await world.read(hosted.id)).vendorSessionId !== before.vendorSessionId,
      'the next conversation',
    )
    await hosted.write('and again')
    const third = await world.ask()
    expect(third).toMatchObject({ sessionId: hosted.id, title: 'Bash: touch one.txt' })
    await until(async () => textsOf(await hosted.items()).includes('and again'), 'the words')
    await world.api.ok('DELETE', `/api/sessions/${hosted.id}`)
    expect((await world.settled(third.id)).outcome).toMatchObject({ kind: 'withdrawn', reason: 'session-ended' })
    expect(await sessionsOf(world)).toMatchObject([{ id: hosted.id, state: 'dead' }])
    hosted.screen.close()
  })
  it.concurrent('has the Claude Codes of a shell, one after another, and reads off the screen what a hook has let go', async () => {
    await using world = await startAttachedWorld(steps([bash('touch one.txt'), bash('touch two.txt')]))
    const hosted = await host(world, 'bash', ['--norc'])
    const claude = async () => {
      await hosted.write('$CLAUDE --permission-mode default')
      await hosted.screen.waitFor('manual mode')
    }
    await hosted.screen.waitFor('bash-')
    await claude()
    await hosted.write('please begin')
    const first = await world.ask()
    expect(first).toMatchObject({ sessionId: hosted.id, agent: 'terminal' })
    await hosted.screen.waitFor(DIALOG)
    await killHooks(world)
    const second = await until(async () => {
      const open = await hosted.asks()
      expect(open.length).toBeLessThan(2)
      return open.find(({ id }) => id !== first.id)
    }, 'the screen to be read')
    const { outcome } = await world.settled(first.id)
    expect(outcome).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
    expect(second).toMatchObject({ title: first.title, toolUseId: expect.any(String) })
    // A hook that was faster than the transcript knows no call.
    if (first.toolUseId !== undefined) expect(second.toolUseId).toBe(first.toolUseId)
    expect(second.raisedAt).toBeGreaterThanOrEqual(outcome.at)
    expect(await world.answer(second, { kind: 'allow' })).toMatchObject({ status: 200 })
    // The next one comes by its hook again.
    const third = await world.ask(({ context }) => context.command === 'touch two.txt')
    expect(await world.exists('one.txt')).toBe(true)
    expect(third.suggestions.length).toBeGreaterThan(0)
    process.kill(await claudeOf(world), 'SIGKILL')
    expect((await world.settled(third.id)).outcome).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })

    await hosted.screen.waitFor('Killed')
    hosted.screen.type('clear\r')
    await until(() => !hosted.screen.screen().includes('manual mode'), 'an empty screen')
    await claude()
    await hosted.write('and again')
    const last = await world.ask()
    expect(last).toMatchObject({ sessionId: hosted.id, title: 'Bash: touch one.txt' })
    await until(async () => textsOf(await hosted.items()).includes('and again'), 'the words')
    expect(textsOf(await hosted.items())).toEqual(['please begin', 'and again'])
    await until(async () => (await world.read(hosted.id)).state === 'assistant_turn', 'it to be at work')
    expect(await sessionsOf(world)).toMatchObject([{ id: hosted.id, openAsks: 1 }])
    hosted.screen.close()
  })
  it.concurrent('has what a subagent asks at the terminal as well, as soon as somebody writes there', async () => {
    const task = subagents([{ prompt: 'the subtask', steps: [bash('touch sub.txt')] }])
    const main = turns(task, steps([], 'nothing to do'))
    await using world = await startAttachedWorld((call) => (call.subagent ? task(call) : main(call)))
    const hosted = await host(world, claudeExecutable(), CLAUDE)
    await hosted.screen.waitFor('manual mode')
    await hosted.write('please begin')
    const first = await world.ask()
    expect(first).toMatchObject({ sessionId: hosted.id, subagentName: 'general-purpose' })
    await hosted.screen.waitFor('Waiting for 1 background agent')
    expect(hosted.screen.screen()).not.toContain(DIALOG)
    await hosted.write('what is it doing?')
    expect((await world.settled(first.id)).outcome).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
    await hosted.screen.waitFor(DIALOG)
    // Now it can be answered in both places.
    const second = await world.ask()
    expect(second).toMatchObject({ sessionId: hosted.id, title: first.title })
    if (first.toolUseId !== undefined && second.toolUseId !== undefined) expect(second.toolUseId).toBe(first.toolUseId)
    expect(await world.answer(second, { kind: 'allow' })).toMatchObject({ status: 200 })
    await until(() => world.exists('sub.txt'), 'the file')
    const notices = (await hosted.items()).filter(({ type }) => type === 'notice')
    expect(notices).toMatchObject([{ text: expect.stringContaining('is now asked at its terminal') }])
    hosted.screen.close()
  })
})
