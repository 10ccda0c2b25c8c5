import type { SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { AskNotices, Escalation, NoticeSettings } from '@holdpoint/schema/notification'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import {
  askId,
  deviceId,
  PHONE,
  sampleAsk,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { createLog } from '../system/log.ts'
import { createEscalations } from './escalations.ts'
import { ALWAYS_OURS } from './notice-duty.ts'
import type { NoticeReceiver } from './receivers.ts'

const MINUTE = 60_000
const ESCALATION: Escalation = { afterMinutes: 5, to: [PHONE.id], inQuietHours: false }

/** The phone with these settings, and one open ask. */
async function start(escalation: Partial<Escalation> = {}, settings: Partial<NoticeSettings> = {}) {
  const { clock, advance } = createManualClock()
  const ask: Ask = sampleAsk(1, { raisedAt: clock.now() })
  const asks = new Map([[ask.id, ask]])
  const view = { session: sampleSession(1), asks } as unknown as SessionView
  const notices = new Map<AskId, AskNotices>()
  const phone: NoticeReceiver = {
    ...PHONE,
    settings: { kinds: [], content: 'names', ...settings },
    channel: { send: async () => ({ ok: true }) },
    sees: () => true,
    isInFront: () => false,
    hasPage: () => false,
    mayDeny: false,
    mayAllow: false,
  }
  const told: AskId[][] = []
  const caughtUp: string[] = []
  const escalations = await createEscalations({
    ledger: { views: () => new Map<SessionId, SessionView>([[sessionId(1), view]]) },
    records: createMemoryStore().records,
    clock,
    log: createLog({ level: 'error', write: () => {}, now: clock.now }),
    askNotices: {
      of: (id) => notices.get(id),
      hasSeen: () => false,
      isSeen: (id) => (notices.get(id)?.seen.length ?? 0) > 0,
      ready: Promise.resolve(),
    },
    duty: ALWAYS_OURS,
    receivers: { list: () => [phone], find: (id) => (id === phone.id ? phone : undefined) },
    notifier: {
      tell: (_to, open) => void (open.length > 0 && told.push(open.map((one) => one.ask.id))),
      catchUp: (to) => void caughtUp.push(to.id),
    },
  })
  await escalations.set([{ ...ESCALATION, ...escalation }])
  /** By single minutes: what is due is looked at again and again. */
  const pass = (minutes: number) => {
    for (let n = 0; n < minutes; n++) advance(MINUTE)
  }
  const note = (change: Partial<AskNotices>) =>
    notices.set(ask.id, { askId: ask.id, notified: [], seen: [], ...change })
  return { clock, told, caughtUp, pass, note }
}

it('tells of an ask once, when nobody has seen it for so long', async () => {
  const { told, pass } = await start()
  pass(4)
  expect(told).toEqual([])
  pass(10)
  expect(told).toEqual([[askId(1)]])
})

it('tells nothing of an ask that somebody has seen, or of another project', async () => {
  const seen = await start()
  seen.note({ seen: [{ by: { device: deviceId(2), name: 'Laptop', role: 'owner' }, at: 1 }] })
  seen.pass(10)
  expect(seen.told).toEqual([])
  const elsewhere = await start({ projects: ['/elsewhere'] })
  elsewhere.pass(10)
  expect(elsewhere.told).toEqual([])
})

it('does not tell again after a restart, unless the notice has failed', async () => {
  const step = (clock: { now(): number }, how: 'sent' | 'failed') => ({
    notified: [{ to: PHONE, step: how, at: clock.now() + 6 * MINUTE }],
  })
  const sent = await start()
  sent.note(step(sent.clock, 'sent'))
  sent.pass(10)
  expect(sent.told).toEqual([])
  const failed = await start()
  failed.note(step(failed.clock, 'failed'))
  failed.pass(10)
  expect(failed.told).toEqual([[askId(1)]])
})

const hour = (shift: number) => new Date(Date.now() + shift * 60 * MINUTE).toISOString().slice(11, 16)

it('waits for the end of quiet hours unless it says otherwise; what else waits is told then', async () => {
  const quietHours = { from: hour(-1), to: hour(1), timeZone: 'UTC' }
  const waiting = await start({}, { quietHours })
  waiting.pass(55)
  expect([waiting.told, waiting.caughtUp]).toEqual([[], []])
  waiting.pass(10)
  expect([waiting.told, waiting.caughtUp]).toEqual([[[askId(1)]], [PHONE.id]])
  const urgent = await start({ inQuietHours: true }, { quietHours })
  urgent.pass(10)
  expect(urgent.told).toEqual([[askId(1)]])
})
