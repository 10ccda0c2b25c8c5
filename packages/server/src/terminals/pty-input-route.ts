import { ATTACHED } from '@holdpoint/agents/attached/attached-agents'
import type { Terminal } from '@holdpoint/agents/pty/terminal'
import { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'
import type { Terminals } from '@holdpoint/agents/pty/terminals'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { z } from 'zod'
import { answerAsk, publicOutcome, retryKeyOf } from '../answering.ts'
import { hashSecret } from '../auth/secrets.ts'
import type { Context } from '../context.ts'
import { findAsk } from '../dialects/find-ask.ts'
import { type Refusal, type Reply, refusal } from '../http/errors.ts'
import { idempotencyKeyOf } from '../http/idempotency.ts'
import { type Call, type Route, route } from '../http/route.ts'
import { findSession } from '../sending.ts'
import { MAX_INPUT } from './pty-frames.ts'
import { createRecentAsks } from './recent-asks.ts'
import { runningTerminal } from './running-terminal.ts'
import { typedAnswer } from './typed-answer.ts'

/** How long what is typed waits for a terminal that is being started. */
const START_MS = 5000
/** By idempotency key: what a call under it has done. */
const DONE = 'pty-inputs'
const TAKEN: Reply = { status: 202, body: {} }

export const PtyInput = z.strictObject({
  sessionID: z.string().max(256),
  input: z.string().min(1).max(MAX_INPUT),
  /** The ask that this answers. With it nothing is ever typed, and no other ask answered. */
  askID: z.string().max(256).optional(),
})
type PtyInput = z.infer<typeof PtyInput>

/** What an input is for. */
type Meant = { readonly askId: AskId; readonly answer: Answer } | { readonly terminal: Terminal }
/** On record under an idempotency key. Without an answer it was typed. */
interface Done {
  /** A hash: what is typed may be a secret. */
  readonly body: string
  readonly answered?: { readonly askId: AskId; readonly answer: Answer }
}

export function ptyInputRoute(context: Context, terminals: Terminals): Route {
  const { records } = context.store
  const recent = createRecentAsks(context)
  const inHand = new Map<string, Promise<Reply>>()

  return route({
    method: 'POST',
    path: '/api/pty-input',
    action: 'send-message',
    summary:
      'Type into a hosted terminal. While something is asked in it nothing is typed: y, n or an option’s number answers the one ask that is open, and everything else is refused. While Claude Code is at work there, only Esc and Ctrl-C are typed',
    body: PtyInput,
    idempotent: true,
    replies: { 202: 'typed, or answered' },
    async handle(call) {
      const idempotencyKey = idempotencyKeyOf(call.request)
      if (idempotencyKey === undefined) return take(call)
      const key = retryKeyOf(call.device, idempotencyKey)
      // One after the other: the second finds what the first has done.
      const before = inHand.get(key)
      const mine = Promise.resolve(before?.catch(() => {})).then(() => takeOnce(call, { key, idempotencyKey }))
      inHand.set(key, mine)
      try {
        return await mine
      } finally {
        if (inHand.get(key) === mine) inHand.delete(key)
      }
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
    const done = (await records.get(DONE, key)) as Done | undefined
    if (done && done.body !== hash) return refusal('retry_mismatch')
    // The same answer to the same ask, whatever is open by now.
    if (done) return done.answered ? answer(device, done.answered, idempotencyKey) : TAKEN
    const meant = await meaningOf(body, { device, signal })
    if (isRefusal(meant)) return meant
    // Before it is done: whoever sends it again after a crash must not do it twice, or to the next ask.
    if (!('terminal' in meant)) {
      await records.put(DONE, key, { body: hash, answered: meant } satisfies Done)
      return answer(device, meant, idempotencyKey)
    }
    await records.put(DONE, key, { body: hash } satisfies Done)
    const reply = await type(meant.terminal, device, body.input)
    if (reply !== TAKEN) await records.remove(DONE, key)
    return reply
  }

  async function meaningOf(
    { sessionID, input, askID }: PtyInput,
    { device, signal }: { device: Device; signal: AbortSignal },
  ): Promise<Meant | Refusal> {
    const session = await findSession(context, device, sessionID)
    const running = session && (terminals.get(session.id) ?? (await beingStarted(session, signal)))
    const isHere = running !== undefined || (session?.agent === ATTACHED && session.openAsks > 0)
    const open = session ? openAsks(session.id) : []
    const named = askID === undefined ? undefined : open.find(({ id }) => id === askID)
    if (askID !== undefined && !named) return notOpen(device, { sessionID, askID })
    if (!session || !isHere) return refusal('not_found')
    const ask = named ?? open[0]
    if (!ask) return running ? { terminal: running.terminal } : refusal('dialog_open')
    const isOneOfSeveral = !named && open.length > 1
    const dialog = isOneOfSeveral ? 'other' : await running?.dialogOf(ask)
    const answer = dialog === 'other' ? undefined : typedAnswer(input, ask, dialog)
    if (!answer) return refusal('dialog_open')
    if (!named && recent.has(ask.id)) return refusal('ask_just_came')
    return { askId: ask.id, answer }
  }

  async function notOpen(device: Device, { sessionID, askID }: { sessionID: string; askID: string }): Promise<Refusal> {
    const outcome = (await findAsk(context, { device, askId: askID, sessionId: sessionID }))?.outcome
    return outcome ? refusal('already_settled', { outcome: publicOutcome(outcome) }) : refusal('not_found')
  }

  async function answer(
    device: Device,
    { askId, answer }: { readonly askId: AskId; readonly answer: Answer },
    idempotencyKey?: string,
  ): Promise<Reply> {
    const reply = await answerAsk(context, {
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
    return runningTerminal(context, terminals, { id, signal: soon })
  }

  function openAsks(id: SessionId): Ask[] {
    return [...(context.ledger.views().get(id)?.asks.values() ?? [])]
  }
}

function isRefusal(meant: Meant | Refusal): meant is Refusal {
  return 'status' in meant
}
