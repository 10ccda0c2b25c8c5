import { randomUUID } from 'node:crypto'
import { DriverError, type DriverStart } from '@holdpoint/core/driver'
import type { Outcome } from '@holdpoint/schema/outcome'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { expect, it } from 'vitest'
import { createInteractiveTools } from '../claude/interactive-tools.ts'
import { createCallBook } from './call-book.ts'
import { createHeldRequests } from './held-requests.ts'

/** The requests of one terminal, with the broker's part in the test's hand. */
function world() {
  const time = createManualClock()
  const settle = new Map<string, (outcome: Outcome) => void>()
  const elsewhere: unknown[] = []
  let failure: Error | undefined
  const outcome = (kind: Outcome['kind'], more: Partial<Outcome> = {}): Outcome => ({
    kind,
    at: 1,
    via: 'web',
    ...more,
  })
  const start = {
    cwd: '/here',
    ask: (request, { signal }) =>
      new Promise<Outcome>((resolve, reject) => {
        if (failure) return reject(failure)
        settle.set(request.requestId, resolve)
        signal.addEventListener('abort', () => resolve(outcome('withdrawn', { reason: 'agent-cancelled' })))
      }),
    async answeredElsewhere(requestId, answer) {
      elsewhere.push([requestId, answer])
      const there = outcome('withdrawn', { via: 'terminal' })
      settle.get(requestId)?.(there)
      return there
    },
    delivered: () => {},
    emit: async () => {},
  } as Partial<DriverStart> as DriverStart
  const held = createHeldRequests({
    start,
    book: createCallBook('/here'),
    tools: createInteractiveTools(),
    clock: time.clock,
    warn: () => {},
    named: async () => ({}),
    look: async () => {},
    mayReturn: () => false,
  })
  const requestId = randomUUID()
  const hook = {
    session_id: 's',
    hook_event_name: 'PermissionRequest',
    cwd: '/here',
    tool_name: 'Bash',
    tool_input: {},
  }
  return {
    time,
    held,
    settle: (given: Outcome) => settle.get(requestId)?.(given),
    outcome,
    elsewhere,
    fail: (error: Error) => {
      failure = error
    },
    ask: (signal = new AbortController().signal) =>
      held.reply({ requestId, hook, process: { pid: 7 } }, signal, time.clock.now()),
    async open() {
      await expect.poll(() => held.open()).toEqual([requestId])
    },
  }
}

it('gives a hook that broke off time to come again, and then gives the ask up', async () => {
  const { held, time, ask, open } = world()
  const [first, second] = [new AbortController(), new AbortController()]
  const broken = ask(first.signal)
  await open()
  first.abort()
  expect(await broken).toEqual({})
  await time.advance(4000)
  const again = ask(second.signal)
  await time.advance(60_000)
  await open()
  second.abort()
  await again
  await time.advance(4000)
  await open()
  await time.advance(1000)
  await expect.poll(() => held.open()).toEqual([])
})

it('[I4] says nothing when the ask could not be recorded, and asks to come again when the gateway leaves', async () => {
  const refused = world()
  refused.fail(new DriverError('too-many-open', 'too many'))
  expect(await refused.ask()).toEqual({})
  const leaving = world()
  leaving.fail(new DriverError('detached', 'we leave'))
  await expect(leaving.ask()).rejects.toMatchObject({ code: 'detached' })
})

it('takes a dialog that was never seen for nothing: only one that has left the screen was answered', async () => {
  const { held, time, ask, open, elsewhere, outcome, settle } = world()
  const reply = ask()
  await open()
  held.onScreen(7, { sessionId: 's', status: 'busy', statusAt: time.clock.now() + 1 })
  await time.advance(60_000)
  expect(elsewhere).toEqual([])
  held.onScreen(7, { sessionId: 's', status: 'waiting', statusAt: time.clock.now() })
  held.onScreen(8, { sessionId: 's', status: 'idle', statusAt: time.clock.now() + 1 })
  await time.advance(60_000)
  expect(elsewhere).toEqual([])
  // An answer from here closes the dialog as well.
  settle(outcome('allowed'))
  expect((await reply).output).toBeDefined()
  held.onScreen(7, { sessionId: 's', status: 'busy', statusAt: time.clock.now() + 1 })
  await time.advance(60_000)
  expect(elsewhere).toEqual([])
})

it('does not say what was chosen in a dialog that has left the screen unless it can be known', async () => {
  const { held, time, ask, open, elsewhere } = world()
  const reply = ask()
  await open()
  held.onScreen(7, { sessionId: 's', status: 'waiting', statusAt: time.clock.now() })
  held.onScreen(7, { sessionId: 's', status: 'idle', statusAt: time.clock.now() + 1 })
  await time.advance(400)
  await expect.poll(() => elsewhere).toEqual([[expect.any(String), undefined]])
  expect(await reply).toEqual({})
})
