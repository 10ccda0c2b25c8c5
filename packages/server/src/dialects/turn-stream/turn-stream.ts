import type { AskRecord } from '@holdpoint/core/store'
import type { Answer } from '@holdpoint/schema/answer'
import { type Ask, AskKind } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { Endpoint } from '@holdpoint/schema/endpoint'
import { sessionEndpoints } from '@holdpoint/schema/endpoints/sessions'
import { turnEndpoints } from '@holdpoint/schema/endpoints/turns'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import type { z } from 'zod'
import { answerAsk } from '../../services/answering.ts'
import { findAsk } from '../../services/find-ask.ts'
import { findSession } from '../../services/find-session.ts'
import { sendMessage } from '../../services/sending.ts'
import type { Services } from '../../services/services.ts'
import { isRefusal, type Refusal, type Reply, refusal } from '../../transport/errors.ts'
import { eventStream } from '../../transport/event-stream.ts'
import { idempotencyKeyOf, repeatableIds } from '../../transport/idempotency.ts'
import { LARGE_BODY, type Route, route } from '../../transport/route.ts'
import type { Dialect } from '../shared/dialect.ts'
import type { ReadAnswer } from '../shared/text-answers.ts'
import { followTurn } from './follow-turn.ts'
import { answerOf, errorBody, interactionEvent, toolCallIdOf } from './mapping.ts'
import { Message } from './messages.ts'
import { createTurn, type Which } from './turn.ts'

/** How far back a call is looked for whose result is still to come. */
const ITEMS_LOOKED_AT = 200
const SIZE_LOOKED_AT = 4 * 1024 * 1024

/** One turn of a session as a stream, and the answers to what holds it up, by the agent's own ids. */
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
  | 'sessions'
  | 'attachments'
  | 'devices'
  | 'connections'
>

export function createTurnStream(services: Deps): Dialect {
  return {
    routes: [
      joinRoute(services),
      interactionRoute(services, turnEndpoints.approve, {
        kinds: kindsAt('approve'),
        texts: { bad_request: 'toolCallId is required', not_found: 'No pending approval' },
        answer: () => ({ ok: true, answer: { kind: 'allow' } }),
      }),
      interactionRoute(services, turnEndpoints.deny, {
        kinds: AskKind.options,
        texts: { bad_request: 'toolCallId is required', not_found: 'No pending approval' },
        answer: ({ message }, { kind }) => ({ ok: true, answer: noTo(kind, message) }),
      }),
      interactionRoute(services, turnEndpoints.submitAnswers, {
        kinds: kindsAt('submitAnswers'),
        texts: { bad_request: 'toolCallId and answers are required', not_found: 'No pending question' },
        answer: ({ answers }, { questions }) => answerOf(questions ?? [], answers),
      }),
      interactionRoute(services, turnEndpoints.submitForm, {
        kinds: kindsAt('submitForm'),
        texts: { bad_request: 'toolCallId and content are required', not_found: 'No pending form' },
        answer: ({ content }) => ({ ok: true, answer: { kind: 'submit', content } }),
      }),
    ],
    sockets: [],
    messages: { body: Message, stream: messageRoute(services) },
  }
}

/** Where a yes to each kind of ask is sent. A no to any of them is a `deny`. */
const YES_AT: Record<AskKind, 'approve' | 'submitAnswers' | 'submitForm'> = {
  approval: 'approve',
  plan: 'approve',
  question: 'submitAnswers',
  form: 'submitForm',
}

function kindsAt(endpoint: (typeof YES_AT)[AskKind]): readonly AskKind[] {
  return AskKind.options.filter((kind) => YES_AT[kind] === endpoint)
}

function noTo(kind: AskKind, message: string | undefined): Answer {
  switch (kind) {
    case 'approval':
    case 'plan':
      return { kind: 'deny', ...(message !== undefined && { message }) }
    case 'question':
      return { kind: 'cancel' }
    case 'form':
      return { kind: 'decline' }
    default:
      return kind satisfies never
  }
}

const STREAMED_MESSAGE = {
  ...sessionEndpoints.sendMessage,
  summary: 'Send a message and follow its turn',
  body: Message,
  replies: { 200: 'With "Accept: text/event-stream": server-sent events until the turn is over' },
}

/** In the place of the native route, for clients that accept a stream: sends, and tells what comes of it. */
function messageRoute(services: Deps): Route {
  return route(STREAMED_MESSAGE, {
    action: 'send-message',
    invalid: 'bad_request',
    bodyLimit: LARGE_BODY,
    words: words({ bad_request: 'content is required' }),
    async handle(call) {
      const { device, signal } = call
      const session = await findSession(services, device, call.params.id)
      if (!session) return refusal('not_found')
      const sessionId = session.id
      const id = repeatableIds(call)?.message
      const isRepeated = id !== undefined && (await services.store.item({ sessionId, id })) !== undefined
      // Before it is sent, so that nothing is missed; and how it stood at that very moment.
      const following = followTurn(services, { device, session, signal })
      const stood = id === undefined ? 'waiting' : stands(services, { sessionId, messageId: id, isRepeated })
      let which: Which | undefined
      const reply = eventStream(services, call, async (out) => {
        if (!which) return out.destroy()
        const tools = which.stands === 'running' ? await toolNames(services, sessionId) : undefined
        following.tell(createTurn(which, tools), out)
      })
      // Too many streams: then the message is not sent, either.
      if (!reply.stream) return reply
      const sent = await sendMessage(services, call)
      if (!sent.ok) return sent.reply
      which = { messageId: sent.value.messageId, stands: stood }
      return reply
    },
  })
}

/** How it stands with a message that may have been sent before. */
function stands(services: Deps, message: { sessionId: SessionId; messageId: ItemId; isRepeated: boolean }) {
  const { messageId } = message
  const view = services.ledger.views().get(message.sessionId)
  if (view?.queue.some(({ id }) => id === messageId)) return 'waiting'
  if (view?.sent?.id === messageId) return view.session.state === 'assistant_turn' ? 'running' : 'over'
  return message.isRepeated ? 'over' : 'waiting'
}

function joinRoute(services: Deps): Route {
  return route(turnEndpoints.join, {
    action: 'read-events',
    words: words(),
    async handle(call) {
      const { device, signal } = call
      const session = await findSession(services, device, call.params.id)
      if (!session) return refusal('not_found')
      return eventStream(services, call, async (out) => {
        const following = followTurn(services, { device, session, signal })
        following.tell(createTurn({ stands: 'running' }, await toolNames(services, session.id)), out)
      })
    },
  })
}

async function toolNames(services: Deps, sessionId: SessionId): Promise<ReadonlyMap<string, string>> {
  const { items } = await services.store.items({ sessionId, limit: ITEMS_LOOKED_AT, size: SIZE_LOOKED_AT })
  return new Map(items.flatMap((item) => (item.type === 'tool-call' ? [[item.toolUseId, item.name] as const] : [])))
}

function interactionRoute<Body extends { toolCallId: string }>(
  services: Deps,
  endpoint: Endpoint & { readonly body: z.ZodType<Body> },
  options: {
    /** What can be answered here; anything else is nothing that waits. */
    readonly kinds: readonly AskKind[]
    readonly texts: Partial<Record<ErrorCode, string>>
    readonly answer: (body: Body, ask: Ask) => ReadAnswer
  },
): Route {
  const { kinds, texts, answer } = options
  return route(endpoint, {
    action: 'answer-ask',
    invalid: 'bad_request',
    bodyLimit: LARGE_BODY,
    words: words(texts),
    async handle({ body, device, params, request }) {
      const record = await findCall(services, { device, sessionId: params.id, toolCallId: body.toolCallId, kinds })
      if (!record) return refusal('not_found')
      const read = answer(body, record.ask)
      if (!read.ok) {
        return record.outcome
          ? refusal('already_settled')
          : badRequest(refusal('invalid_answer', { issues: read.issues }))
      }
      const idempotencyKey = idempotencyKeyOf(request)
      const reply = await answerAsk(services, {
        device,
        id: record.ask.id,
        answer: read.answer,
        via: 'turn-stream',
        bound: 'id',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      })
      return isRefusal(reply) ? badRequest(reply) : { status: 200, body: { ok: true } }
    },
  })
}

/**
 * The ask behind a tool call of this session. Ids of calls may come again: an id names the first ask that had it, for
 * that is the one that was shown. Another under the same id has to be answered where asks have ids of their own (I2).
 */
async function findCall(
  services: Deps,
  named: { device: Device; sessionId: string | undefined; toolCallId: string; kinds: readonly AskKind[] },
): Promise<AskRecord | undefined> {
  const { device, toolCallId } = named
  const session = await findSession(services, device, named.sessionId)
  if (!session) return undefined
  const open = [...(services.ledger.views().get(session.id)?.asks.values() ?? [])]
  // Two wait under one id: nobody can tell which of them the person has looked at.
  if (open.filter((ask) => toolCallIdOf(ask) === toolCallId).length > 1) return undefined
  const { id: sessionId } = session
  const record =
    (await services.store.firstAskByToolUse({ sessionId, toolUseId: toolCallId })) ??
    (await findAsk(services, { device, askId: toolCallId, sessionId }))
  const isMeant = record && toolCallIdOf(record.ask) === toolCallId && named.kinds.includes(record.ask.kind)
  return isMeant && interactionEvent(record.ask) ? record : undefined
}

/** What does not fit is a 400 here, whatever is wrong with it. */
function badRequest(reply: Refusal): Reply {
  return reply.body.error.code === 'invalid_answer' ? { ...reply, status: 400 } : reply
}

function words(texts: Partial<Record<ErrorCode, string>> = {}) {
  return (reply: Refusal) => errorBody(reply, texts)
}
