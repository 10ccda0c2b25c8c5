import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { multiQuestion, singleQuestion, steps, subagents, turns } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { LONG } from '../long.ts'
import { until } from '../until.ts'
import { startAttachedWorld } from './attached-world.ts'

const bash = (command: string) => use('Bash', { command, description: 'a step' })
const DIALOG = 'Do you want to proceed?'

describe('a terminal that is attached', { timeout: 60_000 }, () => {
  it('has its asks answered here: allowed, edited, denied with words, questions, and those of its subagents', async () => {
    const task = subagents([{ prompt: 'the subtask', steps: [bash('touch sub.txt')] }])
    const main = turns(
      steps([
        bash('touch allowed.txt'),
        bash('touch asked.txt'),
        bash('touch denied.txt'),
        use('AskUserQuestion', { questions: [singleQuestion, multiQuestion] }),
      ]),
      task,
    )
    await using world = await startAttachedWorld((call) => (call.subagent ? task(call) : main(call)))
    const terminal = await world.terminal()
    await world.prompt(terminal, 'please begin')
    const first = await world.ask()
    await terminal.waitFor(DIALOG)
    expect(first).toMatchObject({ kind: 'approval', agent: 'attached', title: 'Bash: touch allowed.txt' })
    expect(first.suggestions.length).toBeGreaterThan(0)
    expect((await world.answer(first, { kind: 'allow' })).status).toBe(200)
    await terminal.waitFor('Allowed by PermissionRequest hook')

    const second = await world.ask((ask) => ask.context.command === 'touch asked.txt')
    expect(await world.exists('allowed.txt')).toBe(true)
    await world.answer(second, { kind: 'allow', updatedInput: { command: 'touch edited.txt', description: 'mine' } })
    const third = await world.ask((ask) => ask.context.command === 'touch denied.txt')
    expect([await world.exists('asked.txt'), await world.exists('edited.txt')]).toEqual([false, true])
    await world.answer(third, { kind: 'deny', message: 'Use another name.' })

    const fourth = await world.ask((ask) => ask.kind === 'question')
    expect(world.told()).toContain('Use another name.')
    const label = singleQuestion.options[1]?.label ?? ''
    const chosen = multiQuestion.options[0]?.label ?? ''
    const reply = await world.answer(fourth, {
      kind: 'answer',
      answers: [
        { question: 0, selected: [label] },
        { question: 1, selected: [chosen], other: 'and my own' },
      ],
    })
    expect(reply.status).toBe(200)
    await terminal.waitFor(`→ ${chosen}, and my own`)
    const session = await world.session(({ state }) => state === 'user_turn')
    expect(session).toMatchObject({ cwd: world.cwd, title: 'please begin', openAsks: 0, attached: true })
    expect(await world.exists('denied.txt')).toBe(false)
    const items = await until(async () => {
      const all = await world.items(session.id)
      return all.at(-1)?.type === 'message' && all
    }, 'the last words')
    expect(items.filter(({ type }) => type === 'ask')).toHaveLength(4)
    // Not its place: on a busy machine the agent writes it down later than the half second that an ask waits for it.
    expect(items.find(({ type }) => type === 'message')).toMatchObject({ role: 'user', text: 'please begin' })
    expect(items.filter(({ type }) => type === 'tool-result')).toHaveLength(4)
    expect(items.filter(({ type }) => type === 'notice')).toEqual([])
    const allDelivered = async () => (await world.undelivered(session.id)).length === 0
    await until(allDelivered, 'all to be delivered')

    await world.prompt(terminal, 'send somebody')
    const inside = await world.ask()
    expect(inside).toMatchObject({ subagentName: 'general-purpose', subagent: expect.stringMatching(/^toolu_/) })
    const isItsCall = (item: Item) => item.type === 'tool-call' && item.toolUseId === inside.subagent
    const call = await until(async () => (await world.items(session.id)).find(isItsCall), 'the call of the subagent')
    expect(call).toMatchObject({ name: 'Agent' })
    // It does not show them itself while a hook waits.
    await terminal.waitFor('Waiting for 1 background agent')
    expect(terminal.screen()).not.toContain(DIALOG)
    await world.answer(inside, { kind: 'allow' })
    await until(() => world.exists('sub.txt'), 'the file')
    await until(allDelivered, 'it to be delivered')
    await world.session(({ state }) => state === 'user_turn')
  })

  it('T62 shows the folder that a call would run in, also after an unasked cd', async () => {
    await using world = await startAttachedWorld(
      steps([bash('cd sub'), bash('sh build.sh'), bash('cd ..'), bash('sh build.sh')]),
    )
    const sub = join(world.cwd, 'sub')
    await mkdir(sub)
    await writeFile(join(world.cwd, 'build.sh'), 'touch outer.txt')
    await writeFile(join(sub, 'build.sh'), 'touch inner.txt')
    const terminal = await world.terminal()
    await world.prompt(terminal, 'please begin')
    const inner = await world.ask()
    expect(inner.context).toMatchObject({ command: 'sh build.sh', cwd: sub })
    expect((await world.answer(inner, { kind: 'allow' })).status).toBe(200)
    const outer = await world.ask(({ id }) => id !== inner.id)
    expect(outer.context).toMatchObject({ command: 'sh build.sh', cwd: world.cwd })
    expect(outer.digest).not.toBe(inner.digest)
    // The one that ran is the one in the folder that was shown.
    expect([await world.exists('sub/inner.txt'), await world.exists('outer.txt')]).toEqual([true, false])
    await world.answer(outer, { kind: 'deny' })
  })

  it('answered where it is takes its ask away here while the tool still runs; in both places at once it has one winner', async () => {
    const rounds = Array.from({ length: LONG ? 9 : 3 }, (_, index) => index)
    await using world = await startAttachedWorld(
      turns(
        steps([
          bash('until [ -e go ]; do sleep 0.1; done; touch slow.txt'),
          use('AskUserQuestion', { questions: [singleQuestion] }),
          bash('touch no.txt'),
        ]),
        steps(rounds.map((index) => bash(`touch there-${index}`))),
      ),
    )
    const terminal = await world.terminal()
    await world.prompt(terminal, 'please begin')
    const allowed = await world.ask()
    await world.press(terminal, DIALOG, '1')
    expect((await world.settled(allowed.id)).outcome).toMatchObject({
      kind: 'withdrawn',
      via: 'terminal',
      reason: 'answered-elsewhere',
      answer: { kind: 'allow' },
    })
    expect(await world.exists('slow.txt')).toBe(false)
    await writeFile(join(world.cwd, 'go'), '')
    // Too late: whoever answers here hears who was first.
    const late = await world.answer(allowed, { kind: 'deny' })
    expect(late.status).toBe(409)
    expect(late.body.error).toMatchObject({ code: 'already_settled', outcome: { via: 'terminal' } })

    const question = await world.ask(({ kind }) => kind === 'question')
    expect(await world.exists('slow.txt')).toBe(true)
    await world.press(terminal, 'Enter to select', '2\r')
    expect((await world.settled(question.id)).outcome).toMatchObject({
      reason: 'answered-elsewhere',
      answer: { kind: 'answer', answers: [{ question: 0, selected: [singleQuestion.options[1]?.label] }] },
    })
    const denied = await world.ask(({ context }) => context.command === 'touch no.txt')
    await world.press(terminal, DIALOG, '4\r')
    expect((await world.settled(denied.id)).outcome).toMatchObject({
      reason: 'answered-elsewhere',
      answer: { kind: 'deny' },
    })
    expect(await world.session(({ state }) => state === 'user_turn')).toMatchObject({ openAsks: 0 })
    expect(await world.exists('no.txt')).toBe(false)

    await world.prompt(terminal, 'and now')
    for (const index of rounds) {
      const ask = await world.ask(({ context }) => context.command === `touch there-${index}`)
      await terminal.waitFor(new RegExp(`touch there-${index}\\s[^]*Do you want to proceed`))
      await world.armed()
      // Earlier and later than the key by some milliseconds: the window in which both are under way.
      const answering = new Promise((resolve) => setTimeout(resolve, (index / (rounds.length - 1)) * 80)).then(() =>
        world.answer(ask, { kind: 'allow', updatedInput: { command: `touch here-${index}`, description: 'a step' } }),
      )
      setTimeout(() => terminal.type('1'), 40)
      const reply = await answering
      const { outcome } = await world.settled(ask.id)
      await until(async () => (await world.exists(`here-${index}`)) !== (await world.exists(`there-${index}`)), 'one')
      const ranHere = await world.exists(`here-${index}`)
      if (ranHere) expect(outcome).toMatchObject({ kind: 'allowed' })
      if (reply.status === 409) expect(ranHere).toBe(false)
      if (outcome.kind === 'withdrawn') expect(reply.status).toBe(409)
      // Our answer counted in the record and not in the terminal: the thread says so, and it is not called delivered.
      if (outcome.kind === 'allowed' && !ranHere) {
        const told = async () => JSON.stringify(await world.items(ask.sessionId)).includes('came too late')
        await until(told, 'the thread to say that the terminal was first')
      }
    }
    const session = await world.session(({ state }) => state === 'user_turn')
    expect(session.frozen).toBeUndefined()
  })

  it('works alone while there is no gateway, and asks again when there is one', async () => {
    await using world = await startAttachedWorld(
      steps([bash('touch one.txt'), bash('touch two.txt'), bash('touch three.txt')]),
    )
    const terminal = await world.terminal()
    await world.prompt(terminal, 'please begin')
    const first = await world.ask()
    const session = await world.session()
    await terminal.waitFor(DIALOG)
    // Killed and back: the same hook comes again, and the ask is the one it was.
    await world.killGateway()
    await world.startGateway()
    expect(await world.ask()).toMatchObject({ id: first.id })
    await until(async () => (await world.answer(first, { kind: 'allow' })).status === 200, 'the answer')
    const second = await world.ask(({ id }) => id !== first.id)
    expect(await world.exists('one.txt')).toBe(true)
    expect(second).toMatchObject({ sessionId: session.id, epoch: 1 })

    await world.stopGateway()
    await world.press(terminal, 'touch two.txt', '1')
    await terminal.waitFor('touch three.txt')
    expect(await world.exists('two.txt')).toBe(true)
    await world.press(terminal, 'touch three.txt', '1')
    await terminal.waitFor('● done')
    expect(await world.exists('three.txt')).toBe(true)

    await world.startGateway()
    await world.prompt(terminal, 'once more')
    const again = await world.ask(({ context }) => context.command === 'touch one.txt')
    expect(again.sessionId).toBe(session.id)
    expect((await world.settled(second.id)).outcome).toMatchObject({
      reason: 'answered-elsewhere',
      answer: { kind: 'allow' },
    })
    const working = await world.session(({ state }) => state === 'assistant_turn')
    expect(working).toMatchObject({ id: session.id, epoch: 1, openAsks: 1 })

    process.kill(terminal.pid, 'SIGKILL')
    expect((await world.settled(again.id)).outcome).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
    const died = await world.session(({ state }) => state === 'dead')
    expect(died).toMatchObject({ id: session.id, endReason: 'agent-exited' })

    const resumed = await world.terminal({ args: ['--continue'] })
    await world.prompt(resumed, 'go on')
    const last = await world.ask()
    expect(last).toMatchObject({ sessionId: session.id, epoch: 2 })
    expect(await world.answer(last, { kind: 'deny', message: 'enough', interrupt: true })).toMatchObject({
      status: 200,
    })
    await resumed.waitFor('Interrupted')
    await world.session(({ state }) => state === 'user_turn')
    resumed.type('/exit')
    await resumed.waitFor('/exit')
    resumed.type('\r')
    await resumed.exit
    const ended = await world.session(({ state }) => state === 'dead')
    expect(ended).toMatchObject({ id: session.id, endReason: 'ended-at-terminal' })

    // And on, run by the gateway: the same conversation, and its hooks are silent, for the gateway is asked itself.
    const { vendorSessionId } = ended
    const start = { agent: 'claude', resumeTranscript: vendorSessionId, prompt: 'go on here' }
    const hosted = await world.api.ok<Session>('POST', '/api/sessions', start)
    expect(hosted).toMatchObject({ cwd: world.cwd, vendorSessionId })
    expect(await world.ask()).toMatchObject({ sessionId: hosted.id, agent: 'claude' })
    expect(world.told()).toContain('please begin')
    const { sessions } = await world.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
    expect(sessions.map(({ id }) => id).sort()).toEqual([session.id, hosted.id].sort())
  })
})
