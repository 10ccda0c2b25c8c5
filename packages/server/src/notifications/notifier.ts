import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import {
  ALL_SETTLED_WORDS,
  askWords,
  eventWords,
  manyAsksWords,
  type NoticeWords,
  settledWords,
  wholeCommand,
} from '@holdpoint/core/notifications/notice-words'
import { isQuiet, wantsNotice } from '@holdpoint/core/notifications/wants-notice'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId, NewId } from '@holdpoint/schema/id'
import type { NoticeContent, NoticeKind } from '@holdpoint/schema/notification'
import type { Session, SessionState } from '@holdpoint/schema/session'
import { isTold, type OpenAskNotices } from '../attention/ask-notices.ts'
import type { Notice } from './channel.ts'
import type { NoticeDuty } from './notice-duty.ts'
import { makeReceipt, makeToken, TOKEN_MS, type TokenKey } from './notice-tokens.ts'
import { type OpenAsk, openAsks } from './open-asks.ts'
import type { NoticeReceiver, Receivers } from './receivers.ts'

/** No receiver rings more often than this because of asks. What comes in between is shown without a sound, and rings then. */
const RING_MS = 60_000
/** Asks that come together are told together. */
const TOGETHER_MS = 3_000
/** The tag of the one notice that counts several asks. Each of several gateways counts its own. */
const SEVERAL = 'asks'

/** What a receiver has on its screen, as far as we know, and what it will be told next. */
interface Screen {
  /** The one notice of asks, and those of them that are open. */
  shown?: { readonly tag: string; readonly asks: Set<AskId> }
  readonly waiting: Set<AskId>
  rangAt: number
  /** Asks that came without a sound. */
  readonly unheard: Set<AskId>
  cancelRing?: () => void
  /** Whether the notice that counts several is to be made again. */
  isStale: boolean
  cancel?: () => void
}

/** Decides who is told what, and when. Sending is the queue's. */
export interface Notifier {
  onStored(stored: readonly Stored[]): void
  /** Tells somebody of asks that they may have been told of before: an escalation. */
  tell(to: NoticeReceiver, asks: readonly OpenAsk[]): void
  /**
   * Tells somebody of the open asks that they want to be told of, have not been told of, and nobody has seen: after a start,
   * at the end of quiet hours, or when a page is no longer in front.
   */
  catchUp(to: NoticeReceiver): void
  /** Another gateway has made a sound there. */
  rang(id: string): void
  /** Forgets, as a restart would, what is another gateway's to tell by now. */
  release(): void
  close(): void
}

export function createNotifier(deps: {
  readonly ledger: Pick<Ledger, 'views' | 'ended'>
  readonly clock: Clock
  readonly newId: NewId
  readonly receivers: Receivers
  readonly askNotices: Pick<OpenAskNotices, 'of' | 'isSeen'>
  readonly duty: Pick<NoticeDuty, 'isOurs'>
  readonly tokenKey: TokenKey
  readonly publicUrl: () => string
  readonly send: (to: NoticeReceiver, notice: Notice) => void
  /** Whether a notice of this ask is sent just now, or waits to be: the log does not say so yet. */
  readonly isOnItsWay: (to: NoticeReceiver, askId: AskId) => boolean
  readonly onRang: (to: NoticeReceiver) => void
}): Notifier {
  const { ledger, clock, receivers, duty } = deps
  const several = deps.tokenKey.maker === '' ? SEVERAL : `${SEVERAL}-${deps.tokenKey.maker}`
  const screens = new Map<string, Screen>()
  const states = new Map<string, SessionState>()
  for (const [id, { session }] of ledger.views()) states.set(id, session.state)

  function screenOf(id: string): Screen {
    const known = screens.get(id) ?? {
      waiting: new Set(),
      unheard: new Set(),
      rangAt: Number.NEGATIVE_INFINITY,
      isStale: false,
    }
    screens.set(id, known)
    return known
  }

  /** One that is ours to tell. */
  function findOpen(askId: AskId): OpenAsk | undefined {
    for (const { session, asks } of ledger.views().values()) {
      const ask = asks.get(askId)
      if (ask) return duty.isOurs(session) ? { ask, session } : undefined
    }
    return undefined
  }

  function mayTell(to: NoticeReceiver, kind: NoticeKind, session: Session): boolean {
    const isWanted = wantsNotice(to.settings, { kind, project: session.cwd })
    return (
      isWanted &&
      duty.isOurs(session) &&
      to.sees(session.id) &&
      !to.isInFront() &&
      !isQuiet(to.settings.quietHours, clock.now())
    )
  }

  function onRaised(asks: readonly OpenAsk[]) {
    for (const to of receivers.list()) {
      tell(
        to,
        asks.filter(({ session }) => mayTell(to, 'ask', session)),
      )
    }
  }

  function tell(to: NoticeReceiver, asks: readonly OpenAsk[]) {
    if (asks.length === 0) return
    const screen = screenOf(to.id)
    for (const { ask } of asks) screen.waiting.add(ask.id)
    const isFirst = screen.waiting.size === 1 && clock.monotonic() - screen.rangAt >= RING_MS
    if (isFirst) update(to.id)
    else soon(to.id)
  }

  function catchUp(to: NoticeReceiver) {
    const knows = ({ ask }: OpenAsk) => {
      const { notified = [], seen = [] } = deps.askNotices.of(ask.id) ?? {}
      if (deps.isOnItsWay(to, ask.id)) return true
      return notified.some((step) => isTold(step, to.id)) || seen.some(({ by }) => by.device === to.id)
    }
    const isNew = (one: OpenAsk) => !knows(one) && !deps.askNotices.isSeen(one.ask.id)
    tell(
      to,
      openAsks(ledger).filter((one) => mayTell(to, 'ask', one.session) && isNew(one)),
    )
  }

  function soon(id: string) {
    const screen = screenOf(id)
    screen.cancel ??= clock.after(TOGETHER_MS, () => update(id))
  }

  /** Brings the screen of a receiver up to date, with at most one notice of asks that are new to it. */
  function update(id: string) {
    const screen = screenOf(id)
    screen.cancel?.()
    delete screen.cancel
    const to = receivers.find(id)
    if (!to) {
      screens.delete(id)
      return
    }
    const added = [...screen.waiting].flatMap((askId) => findOpen(askId) ?? [])
    const all = [...new Set([...(screen.shown?.asks ?? []), ...screen.waiting])].flatMap(
      (askId) => findOpen(askId) ?? [],
    )
    screen.waiting.clear()
    const isStale = screen.isStale && !isTakenAway(to, all.length)
    screen.isStale = false
    const [only] = added
    if (only && all.length === 1) {
      ring(to, screen, { tag: only.ask.id, about: added, all })
      return
    }
    if (added.length > 0 || isStale) ring(to, screen, { tag: several, about: added, all })
  }

  function ring(
    to: NoticeReceiver,
    screen: Screen,
    notice: { tag: string; about: readonly OpenAsk[]; all: readonly OpenAsk[] },
  ) {
    const { tag, about, all } = notice
    const isSilent = about.length === 0 || clock.monotonic() - screen.rangAt < RING_MS
    if (!isSilent) {
      screen.rangAt = clock.monotonic()
      screen.unheard.clear()
      deps.onRang(to)
    } else if (about.length > 0) {
      for (const { ask } of about) screen.unheard.add(ask.id)
      ringLater(to.id, screen)
    }
    const replaces = screen.shown && screen.shown.tag !== tag ? [screen.shown.tag] : []
    if (all.length > 0) screen.shown = { tag, asks: new Set(all.map(({ ask }) => ask.id)) }
    else delete screen.shown
    // Also what is left of several: it is told as what it is, and leads to its card.
    const only = all.length === 1 ? all[0] : undefined
    deps.send(to, {
      ...base(to, tag),
      ...wordsOf(all, to.settings.content),
      kind: 'ask',
      ...placeOf(only ? `/asks/${only.ask.id}` : '/'),
      silent: isSilent,
      askIds: about.map(({ ask }) => ask.id),
      replaces,
      ...(only && buttons(to, only.ask)),
    })
  }

  /** At the end of the minute, for what came without a sound, is still open, and nobody has seen. */
  function ringLater(id: string, screen: Screen) {
    screen.cancelRing ??= clock.after(screen.rangAt + RING_MS - clock.monotonic(), () => {
      delete screen.cancelRing
      const to = receivers.find(id)
      const open = [...screen.unheard].flatMap((askId) => findOpen(askId) ?? [])
      screen.unheard.clear()
      if (!to || to.isInFront() || isQuiet(to.settings.quietHours, clock.now())) return
      tell(
        to,
        open.filter(({ ask, session }) => to.sees(session.id) && !deps.askNotices.isSeen(ask.id)),
      )
    })
  }

  function base(to: NoticeReceiver, tag: string) {
    const id = deps.newId('ntc')
    const at = clock.now()
    const waiting = [...ledger.views().values()].filter(({ session }) => to.sees(session.id))
    return {
      id,
      tag,
      at,
      content: to.settings.content,
      waiting: waiting.reduce((count, { asks }) => count + asks.size, 0),
      receipt: makeReceipt(deps.tokenKey, { id, at }, to.id),
    }
  }

  const placeOf = (path: string) => ({ path, url: deps.publicUrl().replace(/\/$/, '') + path })

  /** *Deny* wherever an answer can come from; *Allow* only where the notice shows all that would run (T58). */
  function buttons(to: NoticeReceiver, ask: Ask) {
    const token = (use: 'deny' | 'allow') =>
      makeToken(deps.tokenKey, { use, subject: ask.id, to: to.id, digest: ask.digest }, clock.now() + TOKEN_MS)
    const isWhole = to.settings.content === 'text' && wholeCommand(ask) !== undefined
    return {
      ...(to.mayDeny && ask.kind === 'approval' && { deny: token('deny') }),
      ...(to.mayAllow && isWhole && { allow: token('allow') }),
    }
  }

  function onSettled({ askId, outcome }: Extract<DurableEvent, { type: 'ask-settled' }>) {
    for (const [id, screen] of screens) {
      screen.waiting.delete(askId)
      if (!screen.shown?.asks.delete(askId)) continue
      const { tag, asks } = screen.shown
      const to = receivers.find(id)
      // The one that counts several stays there until the next notice, which takes its place.
      const stays = tag === several && to !== undefined && !isTakenAway(to, asks.size)
      if (asks.size === 0 && !stays) delete screen.shown
      if (!to) continue
      if (tag === several) {
        if (!stays) continue
        screen.isStale = true
        soon(id)
        continue
      }
      if (to.hasPage()) continue
      const words = settledWords(to.settings.content, outcome)
      deps.send(to, {
        ...base(to, tag),
        ...words,
        kind: 'ask',
        ...placeOf('/'),
        silent: true,
        askIds: [],
        replaces: [],
      })
    }
  }

  /** A page takes the notice of several away when none is left, or when it is in front. It cannot count anew what is left. */
  function isTakenAway(to: NoticeReceiver, left: number): boolean {
    return to.isInFront() || (left === 0 && to.hasPage())
  }

  function onEvent(event: DurableEvent) {
    const kind = kindOf(event, states.get(event.sessionId))
    if (event.type === 'session-changed' && event.changes.state) states.set(event.sessionId, event.changes.state)
    if (event.type === 'session-ended') states.delete(event.sessionId)
    if (!kind) return
    const session =
      ledger.views().get(event.sessionId)?.session ?? [...ledger.ended()].find(({ id }) => id === event.sessionId)
    if (!session) return
    for (const to of receivers.list()) {
      if (!mayTell(to, kind, session)) continue
      const words = eventWords(kind, session, to.settings.content)
      const place = placeOf(`/sessions/${session.id}`)
      const tag = `${kind}-${session.id}`
      deps.send(to, { ...base(to, tag), ...words, kind, ...place, silent: false, askIds: [], replaces: [] })
    }
  }

  return {
    tell,
    catchUp,
    rang(id) {
      screenOf(id).rangAt = clock.monotonic()
    },
    release() {
      for (const screen of screens.values()) {
        for (const asks of [screen.waiting, screen.unheard, screen.shown?.asks])
          for (const askId of asks ?? []) if (!findOpen(askId)) asks?.delete(askId)
        if (screen.shown?.asks.size === 0) delete screen.shown
      }
    },
    onStored(stored) {
      const settled = new Set(stored.flatMap(({ event }) => (event.type === 'ask-settled' ? [event.askId] : [])))
      const raised: OpenAsk[] = []
      for (const { event } of stored) {
        const session = ledger.views().get(event.sessionId)?.session
        // What a rule has settled in the same commit was never open.
        if (event.type === 'ask-raised' && !settled.has(event.ask.id) && session)
          raised.push({ ask: event.ask, session })
        else if (event.type === 'ask-settled') onSettled(event)
        else onEvent(event)
      }
      if (raised.length > 0) onRaised(raised)
    },
    close() {
      for (const { cancel, cancelRing } of screens.values()) {
        cancel?.()
        cancelRing?.()
      }
      screens.clear()
    },
  }
}

function wordsOf(asks: readonly OpenAsk[], content: NoticeContent): NoticeWords {
  const [first, ...others] = asks
  if (!first) return ALL_SETTLED_WORDS
  return others.length === 0 ? askWords(first.ask, first.session, content) : manyAsksWords(asks, content)
}

/** What people may want to be told of an event, besides asks. */
function kindOf(event: DurableEvent, before: SessionState | undefined): Exclude<NoticeKind, 'ask'> | undefined {
  if (event.type === 'alarm') return 'alarm'
  if (event.type === 'session-ended') return event.error ? 'failed' : 'finished'
  const isTurnOver = event.type === 'session-changed' && event.changes.state === 'user_turn'
  return isTurnOver && before === 'assistant_turn' ? 'message' : undefined
}
