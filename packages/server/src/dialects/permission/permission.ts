import { neverOpen } from '@holdpoint/core/never-open'
import { isPermission } from '@holdpoint/core/permission-request'
import { sizeOf } from '@holdpoint/core/size-of'
import type { Device } from '@holdpoint/schema/device'
import type { Endpoint } from '@holdpoint/schema/endpoint'
import type { DurableEvent } from '@holdpoint/schema/event'
import { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import { z } from 'zod'
import { sees } from '../../auth/devices.ts'
import { answerAsk } from '../../services/answering.ts'
import { findAsk } from '../../services/find-ask.ts'
import type { Services } from '../../services/services.ts'
import { type Change, followSessions } from '../../stream/follow-sessions.ts'
import { isRefusal, type Refusal, type Reply, refusal, STATUS } from '../../transport/errors.ts'
import { EVENT_STREAM, eventStream } from '../../transport/event-stream.ts'
import { idempotencyKeyOf } from '../../transport/idempotency.ts'
import { route, TEXT_BODY } from '../../transport/route.ts'
import { asksWithin } from '../shared/asks-within.ts'
import type { Dialect } from '../shared/dialect.ts'
import { answerOf, askedEvent, failureOf, repliedEvent, requestOf, successOf, VIA } from './mapping.ts'
import { type PendingList, type PermissionEvent, ReplyBody, ReplySuccess } from './messages.ts'
import { observePermissions } from './observe.ts'
import { replayMissed } from './replay.ts'

const ENDPOINTS = {
  reply: {
    method: 'POST',
    path: '/permission/:requestId/reply',
    summary: 'Permission dialect: reply to a request; the first reply wins',
    body: ReplyBody,
    idempotent: true,
    replies: { 200: ReplySuccess },
  },
  pending: {
    method: 'GET',
    path: '/permission/pending',
    summary: 'Permission dialect: open requests, those of agents first, oldest first',
    query: z.object({ sessionId: z.string().optional() }),
    replies: { 200: 'Pending requests' },
  },
  events: {
    method: 'GET',
    path: '/event',
    ticketed: true,
    summary:
      'Permission dialect: server-sent events of all sessions that the credential may see, from now on or from Last-Event-ID',
    replies: { 200: EVENT_STREAM },
  },
} satisfies Record<string, Endpoint>

type Deps = Pick<
  Services,
  | 'ledger'
  | 'store'
  | 'fanOut'
  | 'partialTexts'
  | 'askNotices'
  | 'log'
  | 'broker'
  | 'machines'
  | 'devices'
  | 'connections'
>

/** Permission requests by HTTP, and what becomes of them by server-sent events. */
export function createPermission(services: Deps): Dialect {
  observePermissions(services)
  const common = { words: failureOf } as const
  const frameOf = frameTexts()

  /** For whoever wonders why a dialog closed without effect. What is no id of ours may be anything: it is not written. */
  function noteGone(requestId: string | undefined, device: Device) {
    const id = AskId.safeParse(requestId).data
    services.log.info('permission_reply_unmatched', {
      device: device.id,
      ...(id && { requestId: id }),
    })
  }

  const reply = route(ENDPOINTS.reply, {
    ...common,
    action: 'answer-ask',
    invalid: 'bad_request',
    bodyLimit: TEXT_BODY,
    async handle({ device, params, body, request }) {
      const record = await findAsk(services, { device, askId: params.requestId ?? '' })
      if (!record || !isPermission(record.ask)) {
        noteGone(params.requestId, device)
        return refusal('not_found')
      }
      const idempotencyKey = idempotencyKeyOf(request)
      const answered = await answerAsk(services, {
        device,
        id: record.ask.id,
        answer: answerOf(record.ask, body),
        via: VIA,
        bound: 'id',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      })
      if (isRefusal(answered)) {
        const reply = settledIsGone(answered)
        if (reply.status === STATUS.not_found) noteGone(record.ask.id, device)
        return reply
      }
      return { status: 200, body: successOf(body, (answered.body as { outcome: Outcome }).outcome) }
    },
  })

  const pending = route(ENDPOINTS.pending, {
    ...common,
    action: 'read-asks',
    handle({ device, query: { sessionId } }) {
      const views = [...services.ledger.views().values()].filter(
        ({ session: { id } }) => sees(device, id) && (!sessionId || id === sessionId),
      )
      const asks = views.flatMap((view) => [...view.asks.values()].filter(isPermission))
      const oldestFirst = asks.sort((a, b) => a.raisedAt - b.raisedAt)
      // Clients of the permission protocol want them whole.
      const shown = asksWithin(PENDING_LIMIT, oldestFirst, sizeOf)
      const left = asks.length - shown.length
      const body: PendingList = { requests: shown.map(requestOf), ...(left > 0 && { more: left }) }
      return { status: 200, body }
    },
  })

  const events = route(ENDPOINTS.events, {
    ...common,
    action: 'read-events',
    handle: (call) =>
      eventStream(services, call, async (out) => {
        await replayMissed(services, { call, out, frameText })
        if (call.signal.aborted) return
        const { started, drained } = followSessions(services, {
          device: call.device,
          signal: call.signal,
          channel: {
            get writable() {
              return out.writable
            },
            ready: () => out.ready(),
            drop: () => out.destroy(),
          },
          follower: {
            // What is open is not told here: clients read it once they are connected, and would have it twice.
            // An id alone makes no message: it tells a client that is cut off before the first one where to go on.
            onStart: (_, cursor) => out.write(`id: ${cursor}\n\n`),
            onChange(change, cursor) {
              const frame = frameOf(change, cursor)
              if (frame !== undefined) out.write(frame)
            },
            // The list may have shown it, unless a rule was there before anybody could look.
            onMissed(ask, outcome, cursor) {
              if (isPermission(ask) && !neverOpen(outcome)) out.write(frameText(repliedEvent(ask, outcome), cursor))
            },
          },
        })
        out.onDrain(drained)
        await started
      }),
  })

  return { routes: [reply, pending, events], sockets: [] }
}

/** To clients of the permission protocol a request that is settled is one that is not there. */
function settledIsGone(refused: Refusal): Reply {
  return refused.body.error.code === 'already_settled' ? { ...refused, status: STATUS.not_found } : refused
}

/** The text of a frame, made once for all clients: an ask may have megabytes, and clients may be a thousand. */
function frameTexts() {
  const texts = new WeakMap<DurableEvent, string>()
  return (change: Change, cursor: string): string | undefined => {
    const known = texts.get(change.event)
    if (known !== undefined) return known
    const told = eventOf(change)
    if (!told) return undefined
    const text = frameText(told, cursor)
    texts.set(change.event, text)
    return text
  }
}

function frameText(event: PermissionEvent, cursor: string): string {
  return `id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Characters. */
const PENDING_LIMIT = 8 * 1024 * 1024

function eventOf({ event, before }: Change): PermissionEvent | undefined {
  if (event.type === 'ask-raised') return isPermission(event.ask) ? askedEvent(event.ask) : undefined
  if (event.type !== 'ask-settled') return undefined
  const ask = before?.asks.get(event.askId)
  return ask && isPermission(ask) ? repliedEvent(ask, event.outcome) : undefined
}
