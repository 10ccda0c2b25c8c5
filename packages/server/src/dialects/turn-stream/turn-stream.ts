import type { AskRecord } from '@holdpoint/core/store'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskKind } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import { z } from 'zod'
import { answerAsk } from '../../answering.ts'
import type { Context } from '../../context.ts'
import { type ErrorCode, isRefusal, type Refusal, type Reply, refusal } from '../../http/errors.ts'
import { eventStream } from '../../http/event-stream.ts'
import { idempotencyKeyOf, repeatableIds } from '../../http/idempotency.ts'
import { type Route, route } from '../../http/route.ts'
import { findSession, sendMessage } from '../../sending.ts'
import type { Dialect } from '../dialect.ts'
import { findAsk } from '../find-ask.ts'
import type { ReadAnswer } from '../text-answers.ts'
import { followTurn } from './follow-turn.ts'
import { answerOf, errorBody, interactionEvent, toolCallIdOf } from './mapping.ts'
import { Approve, Deny, Message, SubmitAnswers, SubmitForm } from './messages.ts'
import { createTurn, type Which } from './turn.ts'

const BODY_LIMIT = 8 * 1024 * 1024
/** How far back a call is looked for whose result is still to come. */
const ITEMS_LOOKED_AT = 200
const SIZE_LOOKED_AT = 4 * 1024 * 1024

/** One turn of a session as a stream, and the answers to what holds it up, by the agent's own ids. */
export function createTurnStream(context: Context): Dialect {
  return {
    routes: [
      joinRoute(context),
      interactionRoute(context, {
        path: '/api/sessions/:id/approve',
        summary: 'Allow a tool call, or approve a plan, by its tool-use id',
        body: Approve,
        kinds: ['approval', 'plan'],
        texts: { bad_request: 'toolCallId is required', not_found: 'No pending approval' },
        answer: () => ({ ok: true, answer: { kind: 'allow' } }),
      }),
      interactionRoute(context, {
        path: '/api/sessions/:id/deny',
        summary: 'Deny a tool call or a plan, skip a question, or decline a form, by its tool-use id',
        body: Deny,
        kinds: ['approval', 'plan', 'question', 'form'],
        texts: { bad_request: 'toolCallId is required', not_found: 'No pending approval' },
        answer: ({ message }, { kind }) => ({ ok: true, answer: noTo(kind, message) }),
      }),
      interactionRoute(context, {
        path: '/api/sessions/:id/submit-answers',
        summary: 'Answer questions, by their place or their wording, by the tool-use id',
        body: SubmitAnswers,
        kinds: ['question'],
        texts: { bad_request: 'toolCallId and answers are required', not_found: 'No pending question' },
        answer: ({ answers }, { questions }) => answerOf(questions ?? [], answers),
      }),
      interactionRoute(context, {
        path: '/api/sessions/:id/submit-form',
        summary: 'Fill in a form, by the tool-use id or the ask',
        body: SubmitForm,
        kinds: ['form'],
        texts: { bad_request: 'toolCallId and content are required', not_found: 'No pending form' },
        answer: ({ content }) => ({ ok: true, answer: { kind: 'submit', content } }),
      }),
    ],
    sockets: [],
    messages: { body: Message, stream: messageRoute(context) },
  }
}

function noTo(kind: AskKind, message: string | undefined): Answer {
  if (kind === 'question') return { kind: 'cancel' }
  if (kind === 'form') return { kind: 'decline' }
  return { kind: 'deny', ...(message !== undefined && { message }) }
}

/** In the place of the native route, for clients that accept a stream: sends, and tells what comes of it. */
function messageRoute(context: Context): Route {
  return route({
    method: 'POST',
    path: '/api/sessions/:id/messages',
    action: 'send-message',
    summary: 'Send a message and follow its turn',
    body: Message,
    invalid: 'bad_request',
    idempotent: true,
    bodyLimit: BODY_LIMIT,
    words: words({ bad_request: 'content is required' }),
    replies: { 200: 'With "Accept: text/event-stream": server-sent events until the turn is over' },
    async handle(call) {
      const { device, signal } = call
      const session = await findSession(context, device, call.params.id)
      if (!session) return refusal('not_found')
      const sessionId = session.id
      const id = repeatableIds(call)?.message
      const isRepeated = id !== undefined && (await context.store.item({ sessionId, id })) !== undefined
      // Before it is sent, so that nothing is missed; and how it stood at that very moment.
      const following = followTurn(context, { device, session, signal })
      const stood = id === undefined ? 'waiting' : stands(context, { sessionId, messageId: id, isRepeated })
      let which: Which | undefined
      const reply = eventStream(context, call, async (out) => {
        if (!which) return out.destroy()
        const tools = which.stands === 'running' ? await toolNames(context, sessionId) : undefined
        following.tell(createTurn(which, tools), out)
      })
      // Too many streams: then the message is not sent, either.
      if (!reply.stream) return reply
      const sent = await sendMessage(context, call)
      if (!sent.ok) return sent.reply
      which = { messageId: sent.value.messageId, stands: stood }
      return reply
    },
  })
}

/** How it stands with a message that may have been sent before. */
function stands(context: Context, message: { sessionId: SessionId; messageId: ItemId; isRepeated: boolean }) {
  const { messageId } = message
  const view = context.ledger.views().get(message.sessionId)
  if (view?.queue.some(({ id }) => id === messageId)) return 'waiting'
  if (view?.sent?.id === messageId) return view.session.state === 'assistant_turn' ? 'running' : 'over'
  return message.isRepeated ? 'over' : 'waiting'
}

function joinRoute(context: Context): Route {
  return route({
    method: 'GET',
    path: '/api/sessions/:id/stream',
    action: 'read-events',
    summary: 'Follow what the agent is at, until it is done; what waits for an answer comes first',
    ticketed: true,
    words: words(),
    replies: { 200: 'Server-sent events until the agent has nothing more to do' },
    async handle(call) {
      const { device, signal } = call
      const session = await findSession(context, device, call.params.id)
      if (!session) return refusal('not_found')
      return eventStream(context, call, async (out) => {
        const following = followTurn(context, { device, session, signal })
        following.tell(createTurn({ stands: 'running' }, await toolNames(context, session.id)), out)
      })
    },
  })
}

async function toolNames(context: Context, sessionId: SessionId): Promise<ReadonlyMap<string, string>> {
  const { items } = await context.store.items({ sessionId, limit: ITEMS_LOOKED_AT, size: SIZE_LOOKED_AT })
  return new Map(items.flatMap((item) => (item.type === 'tool-call' ? [[item.toolUseId, item.name] as const] : [])))
}

function interactionRoute<Body extends { toolCallId: string }>(
  context: Context,
  options: Pick<Route, 'path' | 'summary'> & {
    readonly body: z.ZodType<Body>
    /** What can be answered here; anything else is nothing that waits. */
    readonly kinds: readonly AskKind[]
    readonly texts: Partial<Record<ErrorCode, string>>
    readonly answer: (body: Body, ask: Ask) => ReadAnswer
  },
): Route {
  const { kinds, texts, answer, ...place } = options
  return route({
    ...place,
    method: 'POST',
    action: 'answer-ask',
    invalid: 'bad_request',
    idempotent: true,
    bodyLimit: BODY_LIMIT,
    words: words(texts),
    replies: { 200: z.object({ ok: z.literal(true) }) },
    async handle({ body, device, params, request }) {
      const record = await findCall(context, { device, sessionId: params.id, toolCallId: body.toolCallId, kinds })
      if (!record) return refusal('not_found')
      const read = answer(body, record.ask)
      if (!read.ok) {
        return record.outcome
          ? refusal('already_settled')
          : badRequest(refusal('invalid_answer', { issues: read.issues }))
      }
      const idempotencyKey = idempotencyKeyOf(request)
      const reply = await answerAsk(context, {
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
  context: Context,
  named: { device: Device; sessionId: string | undefined; toolCallId: string; kinds: readonly AskKind[] },
): Promise<AskRecord | undefined> {
  const { device, toolCallId } = named
  const session = await findSession(context, device, named.sessionId)
  if (!session) return undefined
  const open = [...(context.ledger.views().get(session.id)?.asks.values() ?? [])]
  // Two wait under one id: nobody can tell which of them the person has looked at.
  if (open.filter((ask) => toolCallIdOf(ask) === toolCallId).length > 1) return undefined
  const { id: sessionId } = session
  const record =
    (await context.store.firstAskByToolUse({ sessionId, toolUseId: toolCallId })) ??
    (await findAsk(context, { device, askId: toolCallId, sessionId }))
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
