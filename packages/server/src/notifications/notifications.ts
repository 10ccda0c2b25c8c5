import type { Broker } from '@holdpoint/core/broker'
import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { Ledger } from '@holdpoint/core/ledger'
import { wordsOfNothing } from '@holdpoint/core/notifications/notice-words'
import type { SessionView } from '@holdpoint/core/session-view'
import type { Store } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import type { AskId, ChannelId, DeviceId, NewId, SessionId } from '@holdpoint/schema/id'
import { type DeliveryState, NoticeContent, type NoticeStep, type TestStep } from '@holdpoint/schema/notification'
import type { OpenAskNotices } from '../attention/ask-notices.ts'
import type { Presence } from '../attention/presence.ts'
import type { Devices } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import type { Machines } from '../cluster/machines.ts'
import type { NodeMessages } from '../cluster/node-messages.ts'
import type { Log } from '../system/log.ts'
import { createAnswerNotice } from './answer-notice.ts'
import type { AnswerNotice, Notice, SendResult } from './channel.ts'
import { type ChannelConfigs, createChannelConfigs } from './channel-configs.ts'
import { ALWAYS_OUR_TURN, createChatTurns } from './chat-turns.ts'
import { createDeliveryQueue, type Delivered } from './delivery-queue.ts'
import { createDeliveryStates } from './delivery-states.ts'
import { createDeviceSubscriptions, type DeviceSubscriptions } from './device-subscriptions.ts'
import { createEscalations, type Escalations } from './escalations.ts'
import { ALWAYS_OURS, createNoticeDuty } from './notice-duty.ts'
import { loadNoticeKeys } from './notice-keys.ts'
import { createNoticeReturns } from './notice-returns.ts'
import { makeReceipt, newTokenKey, readToken, type TokenKey } from './notice-tokens.ts'
import { createNotifier } from './notifier.ts'
import type { Outbound } from './outbound.ts'
import type { PushOutbound } from './push-outbound.ts'
import { createReceivers, type NoticeReceiver } from './receivers.ts'

/** Notices whose receipt is waited for. A later one makes room by forgetting the oldest. */
const MAX_AWAITED = 5000
const TEST_MS = 15_000

/** Everything about notifications: who gets them, what came of them, and what comes back. */
export interface NotificationService {
  readonly publicKey: string
  readonly subscriptions: DeviceSubscriptions
  readonly channels: ChannelConfigs
  readonly escalations: Escalations
  readonly answer: AnswerNotice
  /** The same for notices of this gateway alone: what another one has handed on. */
  readonly here: { readonly answer: AnswerNotice; shown(token: string, to: DeviceId | ChannelId): boolean }
  /** Why nothing can be sent to this device at the address that it gives, as far as it can be told now. */
  refuses(device: Device, endpoint: string): string | undefined
  /** The last of each step on the way to a receiver, since the start. */
  stateOf(id: DeviceId | ChannelId): DeliveryState
  /** A notice is on a screen. Says whether the token is one of ours. Told twice, it is noted once. */
  shown(token: string, to: DeviceId): Promise<boolean>
  /** Sends a test and says how far it came. Aborting ends the wait with what is known then. */
  test(id: DeviceId | ChannelId, options: { signal: AbortSignal }): Promise<readonly TestStep[] | undefined>
  close(): Promise<void>
}

interface NotificationDeps {
  readonly machines: Machines
  readonly ledger: Ledger
  readonly store: Store
  readonly records: FollowedRecords
  readonly broker: Broker
  readonly devices: Devices
  readonly clock: Clock
  readonly log: Log
  readonly newId: NewId
  readonly askNotices: OpenAskNotices
  readonly presence: Presence
  /** For channels. */
  readonly outbound: Outbound
  readonly pushOutbound: PushOutbound
  /** The other gateways on the same log. Left out: there are none. */
  readonly others?: { readonly cluster: Cluster; readonly messages: NodeMessages }
}

export async function createNotifications(
  deps: NotificationDeps,
  { publicUrl }: { readonly publicUrl: () => string },
): Promise<NotificationService> {
  const { ledger, records, devices, clock, log, newId, askNotices, presence, outbound, pushOutbound, others } = deps
  const keys = await loadNoticeKeys({ records, log })
  const { publicKey } = keys
  const tokenKey = newTokenKey(deps.machines.node)
  const duty = others ? createNoticeDuty({ ...deps, cluster: others.cluster }) : ALWAYS_OURS
  const subscriptions = await createDeviceSubscriptions({ records, devices, clock, log })
  const channels = await createChannelConfigs({
    records,
    clock,
    log,
    newId,
    outbound,
    answer: (given) => returns.answer(given),
    turns: others ? createChatTurns({ duty, records, clock }) : ALWAYS_OUR_TURN,
  })
  const receivers = createReceivers({
    devices,
    subscriptions,
    channels,
    presence,
    keys,
    subject: () => subjectOf(publicUrl()),
    pushOutbound,
  })
  const here = { answer: createAnswerNotice({ ...deps, tokenKey, receivers }), shown }
  const returns = createNoticeReturns({ ...deps, tokenKey, receivers, here })
  const states = createDeliveryStates({ ledger, messages: others?.messages })
  const awaited = new Map<
    string,
    { readonly to: NoticeReceiver; readonly notice: Notice; readonly onShown?: () => void }
  >()

  const queue = createDeliveryQueue<NoticeReceiver>({ clock, asNow, onDone })

  /** A notice may have waited for long: who gets it, and what it may say there, is read again (I8). */
  function asNow(id: string, notice: Notice) {
    const to = receivers.find(id)
    if (!to) return undefined
    if (isOver(notice)) return { to, notice: undefined }
    return { to, notice: isMore(notice.content, to.settings.content) ? withoutContent(notice) : notice }
  }

  /** It asks for nothing that is open, and ours to tell. Where it could not be sent before, nobody has to be told now. */
  function isOver({ askIds }: Notice): boolean {
    const isOpen = ({ session, asks }: SessionView) => askIds.some((id) => asks.has(id)) && duty.isOurs(session)
    return askIds.length > 0 && ![...ledger.views().values()].some(isOpen)
  }

  function onDone(to: NoticeReceiver, notice: Notice, result: Delivered) {
    noteState(to, result)
    if (result.ok) return record(to, notice.askIds, 'sent')
    log.warn('notification_not_sent', { receiver: to.id, reason: result.reason, tries: result.tries })
    record(to, notice.askIds, 'failed', result.reason)
  }

  function noteState(to: NoticeReceiver, result: SendResult) {
    const at = clock.now()
    states.note(to.id, result.ok ? { sentAt: at } : { failed: { at, reason: result.reason } })
    if (result.ok || result.how !== 'gone') return
    to.forget?.().catch((error: unknown) =>
      log.warn('push_subscription_not_removed', { device: to.id, error: String(error) }),
    )
  }

  /** Receivers and asks whose step is not in the log yet. */
  const recording = new Map<string, number>()
  const noteRecording = (to: NoticeReceiver, askIds: readonly AskId[], change: 1 | -1) => {
    for (const askId of askIds) {
      const count = (recording.get(`${to.id} ${askId}`) ?? 0) + change
      if (count > 0) recording.set(`${to.id} ${askId}`, count)
      else recording.delete(`${to.id} ${askId}`)
    }
  }

  /** Beside the decisions: what fails here is missing in the record, and nothing else (F54). */
  function record(to: NoticeReceiver, askIds: readonly AskId[], step: NoticeStep, reason?: string) {
    const bySession = new Map<SessionId, AskId[]>()
    for (const [sessionId, { asks }] of ledger.views()) {
      const open = askIds.filter((askId) => asks.has(askId))
      if (open.length > 0) bySession.set(sessionId, open)
    }
    for (const [sessionId, told] of bySession) {
      noteRecording(to, told, 1)
      const what = { to: { id: to.id, name: to.name }, step, ...(reason !== undefined && { reason }) }
      ledger
        .transact(
          sessionId,
          (view, at) => {
            const open = told.filter((askId) => view?.asks.has(askId))
            const event = { type: 'asks-notified' as const, sessionId, at, askIds: open, ...what }
            return { events: open.length > 0 ? [event] : [], result: undefined }
          },
          'coalesce',
        )
        .catch((error: unknown) => log.warn('notification_not_recorded', { sessionId, error: String(error) }))
        .finally(() => noteRecording(to, told, -1))
    }
  }

  function awaitReceipt(to: NoticeReceiver, notice: Notice, onShown?: () => void) {
    awaited.set(notice.id, { to, notice, ...(onShown && { onShown }) })
    const [oldest] = awaited.keys()
    if (awaited.size > MAX_AWAITED && oldest !== undefined) awaited.delete(oldest)
  }

  function send(to: NoticeReceiver, notice: Notice) {
    awaitReceipt(to, notice)
    queue.add(to.id, notice)
  }

  function shown(token: string, to: DeviceId | ChannelId): boolean {
    const read = readToken(token)
    if (read?.use !== 'shown' || !read.isGenuine(tokenKey, { to, digest: '' })) return false
    const known = awaited.get(read.subject)
    if (!known || known.to.id !== to) return true
    awaited.delete(read.subject)
    states.note(to, { shownAt: clock.now() })
    record(known.to, known.notice.askIds, 'shown')
    known.onShown?.()
    return true
  }

  const notifier = createNotifier({
    ledger,
    clock,
    newId,
    receivers,
    askNotices,
    duty,
    tokenKey,
    publicUrl,
    send,
    isOnItsWay: (to, askId) =>
      recording.has(`${to.id} ${askId}`) || queue.has(to.id, ({ askIds }) => askIds.includes(askId)),
    onRang: ({ id }) => others?.messages.send({ type: 'rang', to: id }),
  })
  others?.messages.on('rang', ({ to }) => notifier.rang(to))
  const stop = ledger.subscribe((stored) => notifier.onStored(stored))
  presence.onAway((id) => {
    const to = receivers.find(id)
    if (to) notifier.catchUp(to)
  })
  const catchUp = () => {
    for (const to of receivers.list()) notifier.catchUp(to)
  }
  // Before a crash an ask may have been recorded, and its notice not sent.
  const ready = Promise.all([askNotices.ready, presence.ready])
  void ready.then(catchUp)
  duty.onChanged(() => {
    notifier.release()
    void ready.then(catchUp)
  })
  const escalations = await createEscalations({ ledger, records, clock, log, askNotices, receivers, duty, notifier })

  return {
    publicKey,
    subscriptions,
    channels,
    escalations,
    answer: returns.answer,
    here,
    refuses: (device, endpoint) => pushOutbound(may(device, 'manage-notifications')).refuses(endpoint),
    stateOf: (id) => states.of(id),
    shown: returns.shown,
    async test(id, { signal }) {
      const to = receivers.find(id)
      if (!to) return undefined
      const notice = testNotice(to, { id: newId('ntc'), at: clock.now(), tokenKey, url: publicUrl() })
      const shown = new Promise<void>((resolve) => awaitReceipt(to, notice, resolve))
      const result = await to.channel.send(notice, { signal })
      noteState(to, result)
      const sent = { step: 'sent', ok: result.ok, detail: result.ok ? 'The other side took it.' : result.reason }
      if (!result.ok || !id.startsWith('dev_')) return [sent]
      const isShown = await within(clock, shown, signal)
      const detail = isShown ? 'The device reported that it is on the screen.' : NOT_SHOWN
      return [sent, { step: 'shown', ok: isShown, detail }]
    },
    async close() {
      stop()
      duty.close()
      notifier.close()
      escalations.close()
      queue.close()
      await channels.close()
    },
  }
}

function isMore(content: NoticeContent, than: NoticeContent): boolean {
  const levels = NoticeContent.options
  return levels.indexOf(content) > levels.indexOf(than)
}

function withoutContent({ deny, allow, ...rest }: Notice): Notice {
  return { ...rest, ...wordsOfNothing(rest) }
}

const NOT_SHOWN =
  'The device has not reported within 15 seconds. It may be off or without network. Check that it lets the browser show notifications.'

function testNotice(
  to: NoticeReceiver,
  { id, at, tokenKey, url }: { id: string; at: number; tokenKey: TokenKey; url: string },
): Notice {
  return {
    id,
    tag: 'test',
    kind: 'test',
    title: 'Holdpoint',
    body: 'This is a test. Notifications arrive here.',
    path: '/settings',
    url: `${url.replace(/\/$/, '')}/settings`,
    at,
    waiting: 0,
    silent: false,
    content: 'nothing',
    askIds: [],
    replaces: [],
    receipt: makeReceipt(tokenKey, { id, at }, to.id),
  }
}

/** Push services ask for an address of whoever sends: a public one of ours, if there is one. */
function subjectOf(publicUrl: string): string {
  return publicUrl.startsWith('https://') ? publicUrl : 'mailto:nobody@example.com'
}

async function within(clock: Pick<Clock, 'after'>, done: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  let cancel = () => {}
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(TEST_MS, () => resolve(false))
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  return Promise.race([done.then(() => true), late]).finally(cancel)
}
