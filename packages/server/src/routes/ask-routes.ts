import { setImmediate } from 'node:timers/promises'
import { whyAlone } from '@holdpoint/core/allowed-alone'
import { recordSize, sizeOf } from '@holdpoint/core/size-of'
import type { AskRecord } from '@holdpoint/core/store'
import { AddressedAnswer, RememberScope } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import { askEndpoints, LIST_LIMIT, MAX_IDS, type OfferedRules } from '@holdpoint/schema/endpoints/asks'
import { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { z } from 'zod'
import { actorOf, sees } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import { answerAsk, machineOfAsk } from '../services/answering.ts'
import type { PlaceResult } from '../services/program-sessions.ts'
import { CompleteAsk } from '../services/raise-ask.ts'
import { raisedFacts } from '../services/raised-facts.ts'
import type { Services } from '../services/services.ts'
import { cursorOf } from '../stream/cursor.ts'
import { lightAsk } from '../stream/light.ts'
import { publicAsk } from '../stream/public-ask.ts'
import { publicOutcome } from '../stream/public-outcome.ts'
import { refusal, storeRefusal } from '../transport/errors.ts'
import { idempotencyKeyOf } from '../transport/idempotency.ts'
import { issuesOf } from '../transport/issues.ts'
import { type Call, LARGE_BODY, type Route, route } from '../transport/route.ts'

/** Characters of the asks in one reply, and of the settled ones that are read for it (F58). */
const PAGE_SIZE = 4 * 1024 * 1024
const LONGEST_WAIT_SECONDS = 60

const ALONE = {
  'opens-on-no': 'The agent marks this ask as high risk (default: No). Allow it on its own, not together with others.',
  refused: 'The agent’s own check refused this call. Allow it on its own, not together with others.',
  'result-unknown': 'The result of this edit is not known. Allow it on its own, not together with others.',
} as const satisfies Record<NonNullable<ReturnType<typeof whyAlone>>, string>

const NONE_OFFERED: OfferedRules = {
  rules: [],
  suggested: [],
  why: 'Only an owner can make rules.',
  scopes: [],
  project: '',
}

type Deps = Pick<
  Services,
  | 'ledger'
  | 'store'
  | 'broker'
  | 'machines'
  | 'devices'
  | 'askNotices'
  | 'actionOf'
  | 'ruleMaking'
  | 'programSessions'
  | 'log'
>

export function askRoutes(services: Deps): Route[] {
  const { broker, store, ledger, machines, askNotices, actionOf, ruleMaking, programSessions } = services

  /** The ask that a path names, if this credential may see it. A raiser sees what it raised itself. */
  async function find(device: Device, id: string | undefined): Promise<AskRecord | undefined> {
    const parsed = AskId.safeParse(id)
    const record = parsed.success ? await broker.find(parsed.data) : undefined
    if (!record || !sees(device, record.ask.sessionId)) return undefined
    return device.role === 'raiser' && record.ask.raisedBy !== device.id ? undefined : record
  }

  /** The program that raised the ask over the API has its outcome now. */
  function noteDelivery({ ask, outcome }: AskRecord, device: Device) {
    if (!outcome || ask.raisedBy !== device.id) return
    const { sessionId, epoch, requestId } = ask
    broker.delivered({ sessionId, epoch, requestIds: [requestId] }).catch((error: unknown) => {
      services.log.warn('delivery_not_recorded', { askId: ask.id, error: String(error) })
    })
  }

  async function placeOf(device: Device, body: z.infer<typeof CompleteAsk>): Promise<PlaceResult> {
    const { sessionId, program, requestId, context } = body
    if (program) return programSessions.placeOf(device, { program, requestId, cwd: context.cwd })
    const view = sessionId && sees(device, sessionId) ? ledger.views().get(sessionId) : undefined
    if (!view) return { ok: false, refusal: 'not_found' }
    const { id, agent, epoch } = view.session
    return { ok: true, place: { sessionId: id, agent, epoch: body.epoch ?? epoch } }
  }

  /** The machine of an ask that this credential may see: of another one it is not told that there is one. */
  async function machineOfSeen(device: Device, id: string | undefined) {
    return (await find(device, id)) && machineOfAsk(services, id)
  }

  /** The machine that has the session of a raised ask. While it is away this gateway takes what it can. */
  async function machineOf(device: Device, { program, sessionId }: z.infer<typeof CompleteAsk>) {
    const named = sessionId ? ledger.views().get(sessionId)?.session : undefined
    const session = program ? await programSessions.find(device, program.key) : named
    return machines.ifReachable(machines.elsewhere(session))
  }

  async function waitForOutcome(record: AskRecord, seconds: number, signal: AbortSignal): Promise<AskRecord> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000)])
    const outcome = await broker.outcome(record.ask.id, { signal: limit }).catch(() => undefined)
    return outcome ? { ...record, outcome } : record
  }

  /** One of several, of which `together` are allows. */
  async function answerOne(
    call: Pick<Call<unknown, unknown>, 'device' | 'surface' | 'request'>,
    entry: unknown,
    together: number,
  ) {
    const parsed = AddressedAnswer.safeParse(entry)
    if (!parsed.success) return refusal('invalid_answer', { issues: issuesOf(parsed.error) })
    const { id, ...answer } = parsed.data
    try {
      const record = answer.kind === 'allow' && together > 1 ? await find(call.device, id) : undefined
      const alone = record && !record.outcome ? whyAlone(record.ask) : undefined
      if (alone) return refusal('invalid_answer', { issues: [ALONE[alone]] })
      return await answerAsk(services, { ...answeredBy(call), id, answer })
    } catch (error) {
      return storeRefusal(error)
    }
  }

  return [
    route(askEndpoints.list, {
      action: 'read-asks',
      inTurn: true,
      async handle({ device, query }) {
        const cursor = cursorOf(ledger.seq(), ledger.hash())
        const reply = (asks: readonly Ask[], limit: number, isCut = false) => ({
          status: 200,
          body: { ...pageOf(asks, limit, isCut), cursor },
        })
        if (query.ids) {
          const found: Ask[] = []
          // One after another, and others have their turn in between: together they may be hundreds of megabytes.
          for (const id of query.ids) {
            await setImmediate()
            const record = await find(device, id)
            if (record) found.push(lightAsk(publicAsk(record)))
          }
          return reply(found, MAX_IDS)
        }
        if (query.status === 'open') {
          const views = query.sessionId ? [ledger.views().get(query.sessionId)] : [...ledger.views().values()]
          const open = views.flatMap((view) => (view && sees(device, view.session.id) ? [...view.asks.values()] : []))
          return reply(after(open.sort(byAge), query.next), LIST_LIMIT)
        }
        // A narrow credential reads session by session: others' asks must not use up its share of the list.
        const scope = query.sessionId ? [query.sessionId] : (device.sessionIds ?? [undefined])
        const size = Math.ceil(PAGE_SIZE / scope.length)
        const pages = await Promise.all(
          scope
            .filter((sessionId) => sessionId === undefined || sees(device, sessionId))
            .map((sessionId) =>
              store.asks({
                status: query.next ? 'settled' : query.status,
                // One more than asked for tells whether there is another page.
                limit: query.limit + 1,
                ...(sessionId && { sessionId }),
                ...(query.next && { before: query.next }),
                size,
              }),
            ),
        )
        const { asks, isCut } = joined(pages, size)
        return reply(asks.map(publicAsk), query.limit, isCut)
      },
    }),
    route(askEndpoints.read, {
      action: 'read-own-ask',
      async handle({ device, params, query, signal }) {
        const record = await find(device, params.id)
        if (!record) return refusal('not_found')
        const waited = query.wait && !record.outcome ? await waitForOutcome(record, query.wait, signal) : record
        // The wait was long: the credential may be gone (T12).
        if (!services.devices.current(device.id)) return refusal('unauthorized')
        noteDelivery(waited, device)
        return { status: 200, body: publicAsk(waited) }
      },
    }),
    route(askEndpoints.answer, {
      action: 'answer-ask',
      invalid: 'invalid_answer',
      bodyLimit: LARGE_BODY,
      handle: (call) => answerAsk(services, { ...answeredBy(call), id: call.params.id ?? '', answer: call.body }),
    }),
    route(askEndpoints.answerSeveral, {
      action: 'answer-ask',
      bodyLimit: LARGE_BODY,
      async handle(call) {
        const { answers } = call.body
        const together = answers.filter(({ kind }) => kind === 'allow').length
        const results = await Promise.all(
          answers.map(async (entry) => {
            const reply = await answerOne(call, entry, together)
            return { id: entry.id, status: reply.status, ...(reply.body as object) }
          }),
        )
        return { status: 200, body: { results } }
      },
    }),
    route(
      { ...askEndpoints.raise, body: CompleteAsk },
      {
        action: 'raise-ask',
        machine: ({ body, device }) => machineOf(device, body),
        bodyLimit: LARGE_BODY,
        async handle({ body, device }) {
          const placed = await placeOf(device, body)
          if (!placed.ok) return refusal(placed.refusal)
          const { sessionId: _, program, epoch: __, timeoutMs, ...request } = body
          const { kind, tool, context } = request
          const { agent, ...place } = placed.place
          const does = tool && actionOf(agent, { tool, cwd: context.cwd })
          const facts = kind === 'approval' && does ? raisedFacts(tool, does.action) : undefined
          const raised = await broker.raise({
            ...place,
            request: { ...request, ...facts, context: { ...context, ...facts?.context }, suggestions: [] },
            raisedBy: device,
            ...(timeoutMs !== undefined && { timeoutMs }),
            // What denies a call of the agent denies the same call of a program. None is allowed: it may run elsewhere.
            ...(does && { does }),
          })
          if (!raised.ok) return refusal(raised.refusal)
          // The same call of another raiser, or of the agent itself: its outcome is not for this one.
          if (raised.ask.raisedBy !== device.id) return refusal('duplicate_request')
          noteDelivery({ ...raised, delivered: false }, device)
          return { status: 201, body: publicAsk(raised) }
        },
      },
    ),
    route(askEndpoints.withdraw, {
      action: 'raise-ask',
      async handle({ device, params }) {
        const record = await find(device, params.id)
        if (!record || record.ask.raisedBy === undefined) return refusal('not_found')
        const outcome = await broker.withdraw(record.ask.id, 'agent-cancelled')
        if (!outcome) return refusal('not_found')
        noteDelivery({ ...record, outcome }, device)
        return { status: 200, body: { outcome: publicOutcome(outcome) } }
      },
    }),
    route(askEndpoints.leave, {
      action: 'raise-ask',
      machine: async ({ device, body }) =>
        machines.ifReachable(machines.elsewhere(await programSessions.find(device, body.key))),
      handle({ device, body }) {
        programSessions.leave(device, body.key)
        return { status: 204 }
      },
    }),
    route(askEndpoints.seen, {
      action: 'see-ask',
      async handle({ device, params }) {
        const record = await find(device, params.id)
        if (!record) return refusal('not_found')
        if (!record.outcome && !askNotices.hasSeen(record.ask.id, device.id)) {
          await broker.seen(record.ask.id, actorOf(device))
        }
        return { status: 204 }
      },
    }),
    route(askEndpoints.offeredRules, {
      action: 'answer-ask',
      machine: ({ device, params }) => machineOfSeen(device, params.id),
      async handle({ device, params }) {
        const record = await find(device, params.id)
        if (!record) return refusal('not_found')
        if (record.outcome) return settledAlready(record.outcome)
        if (!may(device, 'change-policy')) return { status: 200, body: NONE_OFFERED }
        return { status: 200, body: { ...(await ruleMaking.offered(record.ask)), scopes: RememberScope.options } }
      },
    }),
    route(askEndpoints.checkRule, {
      action: 'answer-ask',
      machine: ({ device, params }) => machineOfSeen(device, params.id),
      async handle({ device, params, body }) {
        const record = await find(device, params.id)
        if (!record) return refusal('not_found')
        if (!may(device, 'change-policy')) return refusal('forbidden')
        if (record.outcome) return settledAlready(record.outcome)
        const problem = await ruleMaking.check(record.ask, body)
        return { status: 200, body: problem === undefined ? {} : { problem } }
      },
    }),
  ]
}

function settledAlready(outcome: Outcome) {
  return refusal('already_settled', { outcome: publicOutcome(outcome) })
}

function byAge(a: Ask, b: Ask): number {
  return a.raisedAt - b.raisedAt || (a.id < b.id ? -1 : 1)
}

/** What follows an ask in a list, also when it has left the list meanwhile. */
function after(asks: readonly Ask[], id: AskId | undefined): readonly Ask[] {
  if (id === undefined) return asks
  const place = asks.findIndex((ask) => ask.id === id)
  return place < 0 ? asks.filter((ask) => ask.id > id) : asks.slice(place + 1)
}

/** Of several lists, up to where one of them was cut short: what follows there may belong before the rest of others. */
function joined(pages: readonly (readonly AskRecord[])[], size: number): { asks: AskRecord[]; isCut: boolean } {
  const ends = new Set(pages.filter((page) => settledSize(page) >= size).map((page) => page.at(-1)))
  const asks = pages.flat()
  if (pages.length > 1) asks.sort(inListOrder)
  const end = asks.findIndex((record) => ends.has(record))
  return end < 0 ? { asks, isCut: false } : { asks: asks.slice(0, end + 1), isCut: true }
}

function settledSize(page: readonly AskRecord[]): number {
  return page.reduce((sum, record) => (record.outcome ? sum + recordSize(record) : sum), 0)
}

/** As many as a reply holds, without what is large in them. More follow where the list is cut, too. */
function pageOf(asks: readonly Ask[], limit: number, isCut: boolean): { asks: readonly Ask[]; next?: AskId } {
  let size = 0
  const light = asks.slice(0, limit).map(lightAsk)
  const tooMuch = light.findIndex((ask, place) => {
    size += sizeOf(ask)
    return place > 0 && size > PAGE_SIZE
  })
  const page = tooMuch < 0 ? light : light.slice(0, tooMuch)
  const last = page.at(-1)
  return { asks: page, ...(last && (isCut || page.length < asks.length) && { next: last.id }) }
}

/** As the store gives them: open ones by age, then settled ones, newest first. */
function inListOrder(a: AskRecord, b: AskRecord): number {
  if (a.outcome && b.outcome) return b.outcome.at - a.outcome.at
  if (a.outcome || b.outcome) return a.outcome ? 1 : -1
  return a.ask.raisedAt - b.ask.raisedAt
}

function answeredBy(call: Pick<Call<unknown, unknown>, 'device' | 'surface' | 'request'>) {
  const idempotencyKey = idempotencyKeyOf(call.request)
  return { device: call.device, via: call.surface, ...(idempotencyKey !== undefined && { idempotencyKey }) }
}
