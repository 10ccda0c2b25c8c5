import { ATTACHED } from '@holdpoint/agents/claude/attached/attached-agents'
import type { Terminals } from '@holdpoint/agents/hosted/terminals'
import type { Terminal } from '@holdpoint/agents/terminal/terminal'
import { askerOf } from '@holdpoint/core/open-room'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import { type PtyInput, terminalEndpoints } from '@holdpoint/schema/endpoints/terminals'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { hashSecret } from '../auth/secrets.ts'
import { answerAsk, retryKeyOf } from '../services/answering.ts'
import { findAsk } from '../services/find-ask.ts'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { publicOutcome } from '../stream/public-outcome.ts'
import { runningTerminal } from '../terminals/running-terminal.ts'
import { typedAnswer } from '../terminals/typed-answer.ts'
import { type Refusal, type Reply, refusal } from '../transport/errors.ts'
import { idempotencyKeyOf } from '../transport/idempotency.ts'
import { type Call, type Route, route, TEXT_BODY } from '../transport/route.ts'

/** How long what is typed waits for a terminal that is being started. */
const START_MS = 5000
const TAKEN: Reply = { status: 202, body: {} }

/** What an input is for. */
type Meant = { readonly askId: AskId; readonly answer: Answer } | { readonly terminal: Terminal }

type Deps = Pick<Services, 'ledger' | 'store' | 'broker' | 'machines' | 'devices' | 'keyedInputs' | 'recentAsks'>

export function ptyInputRoute(services: Deps, terminals: Terminals): Route {
  const { keyedInputs, recentAsks } = services

  return route(terminalEndpoints.input, {
    action: 'send-message',
    bodyLimit: TEXT_BODY,
    // There it is known what was typed under which key: a repetition at another gateway must not answer the next ask.
    machine: async ({ body, device }) =>
      services.machines.elsewhere(await findSession(services, device, body.sessionID)),
    async handle(call) {
      const idempotencyKey = idempotencyKeyOf(call.request)
      if (idempotencyKey === undefined) return take(call)
      const key = retryKeyOf(call.device, idempotencyKey)
      return keyedInputs.inTurn(key, () => takeOnce(call, { key, idempotencyKey }))
    },
  })

  async function take({ body, device, signal }: Call<PtyInput, undefined>): Promise<Reply> {
    const meant = await meaningOf(body, { device, signal })
    if (isRefusal(meant)) return meant
    return 'terminal' in meant ? type(meant.terminal, device, body.input) : answer(device, meant)
  }

  async function takeOnce(
    { body, device, signal }: Call<PtyInput, undefined>,
    { key, idempotencyKey }: { key: string; idempotencyKey: string },
  ): Promise<Reply> {
    const hash = hashSecret(JSON.stringify([body.sessionID, body.input, body.askID]))
    const done = await keyedInputs.done(key)
    if (done && done.body !== hash) return refusal('retry_mismatch')
    // The same answer to the same ask, whatever is open by now.
    if (done) return done.answered ? answer(device, done.answered, idempotencyKey) : TAKEN
    const meant = await meaningOf(body, { device, signal })
    if (isRefusal(meant)) return meant
    // Before it is done: whoever sends it again after a crash must not do it twice, or to the next ask.
    if (!('terminal' in meant)) {
      await keyedInputs.note(key, { body: hash, answered: meant })
      return answer(device, meant, idempotencyKey)
    }
    await keyedInputs.note(key, { body: hash })
    const reply = await type(meant.terminal, device, body.input)
    if (reply !== TAKEN) await keyedInputs.forget(key)
    return reply
  }

  async function meaningOf(
    { sessionID, input, askID }: PtyInput,
    { device, signal }: { device: Device; signal: AbortSignal },
  ): Promise<Meant | Refusal> {
    const session = await findSession(services, device, sessionID)
    const running = session && (terminals.get(session.id) ?? (await beingStarted(session, signal)))
    const isHere = running !== undefined || (session?.agent === ATTACHED && session.openAsks > 0)
    const open = session ? openAsks(session.id) : []
    const named = askID === undefined ? undefined : open.find(({ id }) => id === askID)
    if (askID !== undefined && !named) return notOpen(device, { sessionID, askID })
    if (!session || !isHere) return refusal('not_found')
    // What is typed is meant for what the terminal shows: never for what a program has raised beside it (T27).
    const agents = open.filter((one) => askerOf(one) === 'agent')
    const ask = named ?? agents[0]
    if (!ask) return running ? { terminal: running.terminal } : refusal('dialog_open')
    const isOneOfSeveral = !named && agents.length > 1
    const dialog = isOneOfSeveral ? 'other' : await running?.dialogOf(ask)
    const answer = dialog === 'other' ? undefined : typedAnswer(input, ask, dialog)
    if (!answer) return refusal('dialog_open')
    if (!named && recentAsks.has(ask.id)) return refusal('ask_just_came')
    return { askId: ask.id, answer }
  }

  async function notOpen(device: Device, { sessionID, askID }: { sessionID: string; askID: string }): Promise<Refusal> {
    const outcome = (await findAsk(services, { device, askId: askID, sessionId: sessionID }))?.outcome
    return outcome ? refusal('already_settled', { outcome: publicOutcome(outcome) }) : refusal('not_found')
  }

  async function answer(
    device: Device,
    { askId, answer }: { readonly askId: AskId; readonly answer: Answer },
    idempotencyKey?: string,
  ): Promise<Reply> {
    const reply = await answerAsk(services, {
      device,
      id: askId,
      answer,
      via: 'pty-input',
      bound: 'id',
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    })
    return reply.status < 300 ? TAKEN : reply
  }

  async function type(terminal: Terminal, device: Device, input: string): Promise<Reply> {
    const how = await terminal.typeIfFree(`device ${device.id}`, input)
    switch (how) {
      case 'typed':
        return TAKEN
      case 'busy':
        return refusal('busy')
      case 'asked':
        return refusal('dialog_open')
      case 'not-at-rest':
      case 'changing':
        return refusal('not_at_rest')
      default:
        return how satisfies never
    }
  }

  async function beingStarted({ id, agent, state }: Session, signal: AbortSignal) {
    if (agent !== TERMINAL_AGENT || state === 'dead') return undefined
    const soon = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
    return runningTerminal(services, terminals, { id, signal: soon })
  }

  function openAsks(id: SessionId): Ask[] {
    return [...(services.ledger.views().get(id)?.asks.values() ?? [])]
  }
}

function isRefusal(meant: Meant | Refusal): meant is Refusal {
  return 'status' in meant
}
