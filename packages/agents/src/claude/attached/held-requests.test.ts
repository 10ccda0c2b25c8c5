import { randomUUID } from 'node:crypto'
import { DriverError, type DriverStart, type Reattachment } from '@holdpoint/core/driver'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { expect, it } from 'vitest'
import { createInteractiveTools } from '../asks/interactive-tools.ts'
import { createCallBook } from './call-book.ts'
import { createHeldRequests } from './held-requests.ts'

/** The requests of one terminal, with the broker's part in the test's hand. */
function world({ open = [], mayReturn = false }: { open?: readonly Partial<Ask>[]; mayReturn?: boolean } = {}) {
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
    ...(open.length > 0 && { attach: { open } as unknown as Reattachment }),
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
    tryEmit: async (events) => {
      for (const event of events) if (event.type === 'item' && event.item.type === 'notice') said.push(event.item.text)
    },
  } as Partial<DriverStart> as DriverStart
  const book = createCallBook('/here')
  const said: string[] = []
  const held = createHeldRequests({
    start,
    book,
    tools: createInteractiveTools(),
    clock: time.clock,
    warn: () => {},
    named: async () => ({}),
    look: async () => {},
    mayReturn: () => mayReturn,
  })
  const requestId = randomUUID()
  const call = { toolUseId: 'toolu_1', name: 'Bash', input: {} }
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
    book,
    call,
    said,
    settle: (given: Outcome) => settle.get(requestId)?.(given),
    outcome,
    elsewhere,
    fail: (error: Error) => {
      failure = error
    },
    ask: (signal = new AbortController().signal, more: object = {}) =>
      held.reply({ requestId, hook: { ...hook, ...more }, process: { pid: 7 } }, signal, time.clock.now()),
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
  refused.fail(new DriverError('too_many_open', 'too many'))
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

it('takes an ask that comes back for answered where its dialog is gone, and not where there is no screen', async () => {
  const without = world({ mayReturn: true })
  void without.ask()
  await without.open()
  await without.time.advance(60_000)
  expect(without.elsewhere).toEqual([])
  const { held, time, ask, open, elsewhere } = world({ mayReturn: true })
  const reply = ask()
  await open()
  held.onScreen(7, { sessionId: 's', status: 'busy', statusAt: time.clock.now() })
  await time.advance(1000)
  await time.advance(400)
  await expect.poll(() => elsewhere).toEqual([[expect.any(String), undefined]])
  expect(await reply).toEqual({})
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

it('says whose a dialog is: of a hook that waits, and for the terminal once that has given up', async () => {
  const { held, book, call, time, ask, open } = world()
  const gone = new AbortController()
  expect(held.dialogOf(call)).toBe('unknown')
  const reply = ask(gone.signal)
  await open()
  // Its call is not written down yet: it is known by what it does.
  expect(held.dialogOf(call)).toBe('held')
  book.opened(call)
  held.link()
  expect(held.dialogOf(call)).toBe('held')
  expect(held.dialogOf({ ...call, toolUseId: 'toolu_2' })).toBe('unknown')
  gone.abort()
  await reply
  await time.advance(4000)
  expect([held.dialogOf(call), held.isHolding()]).toEqual(['held', true])
  expect(held.whyTooLate(held.open()[0] ?? '')).toContain('not connected at the moment')
  await time.advance(1000)
  await expect.poll(() => [held.dialogOf(call), held.isHolding()]).toEqual(['let-go', false])
})

it('leaves a dialog to the terminal whose answer was given to the hook and never taken', async () => {
  const { held, book, call, time, ask, open, settle, outcome } = world()
  book.opened(call)
  const reply = ask()
  await open()
  settle(outcome('allowed'))
  await reply
  expect(held.dialogOf(call)).toBe('held')
  await time.advance(5000)
  expect(held.dialogOf(call)).toBe('let-go')
  await held.hookDecided({ type: 'hook-decided', toolUseId: call.toolUseId, isAllowed: true })
  expect(held.dialogOf(call)).toBe('held')
})

it('waits for the hook of an ask that an earlier gateway left open, until none can come any more', async () => {
  const left = { requestId: 'left-open', tool: { name: 'Bash', input: {} } }
  const { held, call } = world({ open: [left] })
  expect([held.dialogOf(call), held.knows('left-open')]).toEqual(['held', true])
  expect(held.whyTooLate('left-open')).toContain('not connected at the moment')
  held.noneReturns()
  expect([held.dialogOf(call), held.knows('left-open')]).toEqual(['unknown', false])
})

it('gives back to the terminal what a subagent asks, and nothing that is to be seen there', async () => {
  const own = world()
  const ownReply = own.ask()
  await own.open()
  await own.held.giveBack(7)
  await own.open()
  own.settle(own.outcome('denied'))
  await ownReply

  const { held, said, ask, open } = world()
  const reply = ask(undefined, { agent_id: 'sub1' })
  await open()
  await held.giveBack(8)
  // A dialog is on the screen: it may be the one.
  held.onScreen(7, { sessionId: 's', status: 'waiting' })
  await held.giveBack(7)
  expect(held.isHolding()).toBe(true)
  held.onScreen(7, { sessionId: 's', status: 'busy' })
  await held.giveBack(7)
  expect(await reply).toEqual({})
  expect(said).toEqual([expect.stringContaining('is now asked at its terminal')])
})

it('T38 says so when the agent goes on with a plan in another mode than the chosen one', async () => {
  const { held, ask, open, settle, outcome, said } = world()
  const reply = ask(undefined, { tool_name: 'ExitPlanMode' })
  await open()
  settle(outcome('allowed', { answer: { kind: 'allow', permissionMode: 'default' } }))
  await reply
  await held.leftPlan('acceptEdits')
  expect(said).toEqual([expect.stringContaining('continues in the mode acceptEdits, not in default')])
  // Once: later it may be changed at the terminal.
  await held.leftPlan('auto')
  expect(said).toHaveLength(1)
})

it.each([
  ['the dialog stands', { shown: 'before', taken: false, said: 1 }],
  ['another dialog has come since', { shown: 'since', taken: false, said: 0 }],
  ['no dialog is there', { shown: 'gone', taken: false, said: 0 }],
  ['it was taken', { shown: 'before', taken: true, said: 0 }],
] as const)('I7 says that an answer was not taken: %s', async (_, { shown, taken, said: times }) => {
  const { held, time, book, call, ask, open, settle, outcome, said } = world()
  book.opened(call)
  const waiting = (statusAt: number) => held.onScreen(7, { sessionId: 's', status: 'waiting', statusAt })
  const reply = ask()
  await open()
  waiting(time.clock.now())
  settle(outcome('allowed', { answer: { kind: 'allow' } }))
  await reply
  if (taken) await held.hookDecided({ type: 'hook-decided', toolUseId: call.toolUseId, isAllowed: true })
  await time.advance(1000)
  if (shown !== 'before') held.onScreen(7, { sessionId: 's', status: 'busy', statusAt: time.clock.now() })
  if (shown === 'since') waiting(time.clock.now() + 1)
  await time.advance(4000)
  await Promise.resolve()
  expect(said).toHaveLength(times)
})
