import type { SessionView } from '@holdpoint/core/session-view'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../system/log.ts'
import { type Change, followSessions } from './follow-sessions.ts'
import { createPartialTexts } from './partial-texts.ts'

const SILENT = createLog({ level: 'error', write: () => {}, now: Date.now })

let test: TestGateway
beforeEach(async () => {
  test = await startTestGateway()
})
afterEach(() => test[Symbol.asyncDispose]())

/** Follows as the token's owner, or as the device given, and notes what it is told. */
async function follow(
  options: { deviceId?: string; onChange?: (change: Change) => void; writable?: () => boolean } = {},
) {
  const { ledger, fanOut, devices } = test.gateway
  const device = devices.current((options.deviceId ?? 'dev_00000000000000000000000000') as never)
  if (!device) throw new Error('no such device')
  const told: { views: readonly SessionView[]; changes: Change[]; missed: string[]; dropped: boolean } = {
    views: [],
    changes: [],
    missed: [],
    dropped: false,
  }
  const leaving = new AbortController()
  const { started, drained } = followSessions(
    {
      ledger,
      fanOut,
      store: test.store,
      partialTexts: createPartialTexts(),
      askNotices: { of: () => undefined },
      log: SILENT,
    },
    {
      device,
      signal: leaving.signal,
      channel: {
        get writable() {
          return options.writable?.() ?? true
        },
        ready: async () => {},
        drop: () => {
          told.dropped = true
        },
      },
      follower: {
        onStart: (views) => {
          told.views = views
        },
        onChange(change) {
          told.changes.push(change)
          options.onChange?.(change)
        },
        onMissed: (ask, outcome) => told.missed.push(`${ask.id} ${outcome.kind} ${outcome.via}`),
      },
    },
  )
  await started
  return { told, leave: () => leaving.abort(), drained }
}
const types = (changes: readonly Change[]) => changes.map(({ event }) => event.type)

it('I7 tells first how things stand, then every change with the session before and after it', async () => {
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  const { told } = await follow()
  expect(told.views.map((view) => [...view.asks.keys()])).toEqual([[ask.id]])
  await test.api.answer(ask, { kind: 'deny' })
  await until(async () => types(told.changes).includes('ask-delivered'), 'the delivery')
  const [settled] = told.changes
  expect(settled?.event).toMatchObject({ type: 'ask-settled', askId: ask.id })
  expect(settled?.before?.asks.get(ask.id)).toEqual(ask)
  expect(settled?.after.asks.size).toBe(0)
})

it('says nothing of an ask that a rule settles', async () => {
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  await test.api.answer(ask, { kind: 'allow', remember: { scope: 'session' } })
  const { told } = await follow()
  expect(await agent.ask()).toMatchObject({ kind: 'allowed', via: 'rule' })
  const asked = await test.openAsk(agent, {
    tool: { name: 'Bash', input: { command: 'another' } },
  })
  await until(async () => types(told.changes).includes('ask-raised'), 'the next ask')
  const raised = told.changes.flatMap(({ event }) => (event.type === 'ask-raised' ? [event.ask.id] : []))
  expect(raised).toEqual([asked.ask.id])
  expect(types(told.changes)).not.toContain('ask-settled')
})

it('tells of an ask that came and went before its turn as such, and of nothing else', async () => {
  let reads = false
  const { told, drained } = await follow({ writable: () => reads })
  const { agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  await test.api.answer(ask, { kind: 'deny' })
  const open = await test.openAsk(agent)
  expect(told.changes).toEqual([])
  reads = true
  drained()
  expect(told.missed).toEqual([`${ask.id} denied api`])
  const raised = told.changes.flatMap(({ event }) => (event.type === 'ask-raised' ? [event.ask.id] : []))
  expect(raised).toEqual([open.ask.id])
  await test.api.answer(open.ask, { kind: 'allow' })
  await until(async () => types(told.changes).includes('ask-settled'), 'the end')
  expect(told.missed).toHaveLength(1)
})

it('tells a credential for one session nothing of another', async () => {
  const [mine, other] = [await test.session(), await test.session()]
  const { device } = await test.credential({ role: 'approver', sessionIds: [mine.session.id] })
  const { told } = await follow({ deviceId: device.id })
  await test.openAsk(other.agent)
  await test.openAsk(mine.agent)
  await until(async () => told.changes.length > 0, 'a change')
  expect(told.views.map((view) => view.session.id)).toEqual([mine.session.id])
  expect(new Set(told.changes.map(({ event }) => event.sessionId))).toEqual(new Set([mine.session.id]))
})

it('knows a session again that ended long before it was resumed', async () => {
  const { session, agent } = await test.session()
  const { told } = await follow()
  agent.die()
  await until(async () => told.changes.at(-1)?.after.session.state === 'dead', 'the end')
  await test.api.ok('POST', '/api/sessions', { agent: 'synthetic', resume: session.id })
  await until(async () => told.changes.at(-1)?.after.session.state === 'user_turn', 'the next life')
  expect(told.changes.at(-1)?.after.session.epoch).toBe(2)
})

it('lets a client go whose dialect fails, and nobody else', async () => {
  const { agent } = await test.session()
  const bad = await follow({
    onChange: () => {
      throw new Error('cannot map this')
    },
  })
  const good = await follow()
  await test.openAsk(agent)
  await until(async () => good.told.changes.length > 0, 'the change')
  expect(bad.told.dropped).toBe(true)
  await agent.say('more')
  await until(async () => types(good.told.changes).includes('item-added'), 'the item')
  expect(bad.told.changes).toHaveLength(1)
})

it('tells nothing any more once the client has left', async () => {
  const { agent } = await test.session()
  const left = await follow()
  const stayed = await follow()
  left.leave()
  await test.openAsk(agent)
  await until(async () => stayed.told.changes.length > 0, 'the change')
  expect(left.told.changes).toEqual([])
})
