import { ATTACHED } from '@holdpoint/agents/attached/attached-agents'
import { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'
import type { TerminalProgram, Terminals } from '@holdpoint/agents/pty/terminals'
import { projectsDir } from '@holdpoint/agents/transcript/project-folder'
import type { Ask } from '@holdpoint/schema/ask'
import { idMaker, type SessionId } from '@holdpoint/schema/id'
import { Session } from '@holdpoint/schema/session'
import { z } from 'zod'
import { answerAsk } from '../answering.ts'
import type { Context } from '../context.ts'
import { existingFolder } from '../existing-folder.ts'
import { refusal } from '../http/errors.ts'
import { repeatableIds } from '../http/idempotency.ts'
import { type Route, route } from '../http/route.ts'
import { pooledRandomBytes } from '../pooled-random.ts'
import { findSession } from '../sending.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { MAX_INPUT, TerminalSize } from './pty-frames.ts'
import { runningTerminal } from './running-terminal.ts'
import { typedAnswer } from './typed-answer.ts'

/** By session: what runs in its terminal. */
const PROGRAMS = 'terminals'
/** How long what is typed waits for a terminal that is being started. */
const START_MS = 5000
const BODY_LIMIT = 4 * 1024 * 1024

const text = z
  .string()
  .max(131_072)
  .refine((value) => !value.includes('\0'), 'holds a NUL')

export const StartTerminal = z.strictObject({
  command: text.min(1),
  args: z.array(text).max(1000).default([]),
  cwd: z.string().min(1).max(4096),
  title: z.string().min(1).max(256).optional(),
  ...TerminalSize,
  /** All of the program's environment; left out, it has the gateway's. It is not kept. */
  env: z
    .record(
      z
        .string()
        .regex(/^[^=\0]+$/)
        .max(1024),
      text,
    )
    .optional(),
})

export const PtyInput = z.strictObject({ sessionID: z.string().max(256), input: z.string().min(1).max(MAX_INPUT) })

/** What runs in a session's terminal, as it was recorded when it was started. */
export async function terminalProgram(
  { records }: Pick<Context['store'], 'records'>,
  sessionId: string,
): Promise<TerminalProgram | undefined> {
  return (await records.get(PROGRAMS, sessionId)) as TerminalProgram | undefined
}

export function ptyRoutes(context: Context, terminals: Terminals): Route[] {
  const { sessions, store } = context
  const newId = idMaker({ now: context.clock.now, randomBytes: pooledRandomBytes() })

  return [
    route({
      method: 'POST',
      path: '/api/terminals',
      action: 'start-session',
      summary: 'Start a program in a terminal that can be looked at and typed into from anywhere',
      body: StartTerminal,
      idempotent: true,
      bodyLimit: BODY_LIMIT,
      replies: { 201: Session },
      async handle(call) {
        const { command, args, cols, rows, env, title } = call.body
        const ids = repeatableIds(call) ?? { session: newId('ses'), message: newId('itm') }
        const before = await findSession(context, call.device, ids.session)
        if (before) return { status: 201, body: before }
        const cwd = await existingFolder(call.body.cwd)
        if (cwd === undefined) return refusal('unknown_folder')
        const program: TerminalProgram = {
          command,
          args,
          cols,
          rows,
          ...(env && { projects: projectsDir(env, env.HOME) }),
        }
        // Before the session: the driver reads it as soon as there is one.
        await store.records.put(PROGRAMS, ids.session, program)
        if (env) terminals.giveEnvironment(ids.session, env)
        const trusted = await context.trustedFolders.isTrusted(cwd)
        const started = await sessions.start({
          agent: TERMINAL_AGENT,
          cwd,
          title: title ?? titleOf(command, args),
          permissionMode: 'default',
          gate: 'default',
          onTimeout: 'deny',
          trusted,
          ids,
        })
        return started.ok ? { status: 201, body: started.value } : refusal(started.refusal)
      },
    }),
    route({
      method: 'POST',
      path: '/api/pty-input',
      action: 'send-message',
      summary:
        'Type into a hosted terminal. While something is asked in it nothing is typed: y, n or an option’s number answers the one ask that is open, and everything else is refused',
      body: PtyInput,
      replies: { 202: 'typed, or answered' },
      async handle({ body: { sessionID, input }, device, signal }) {
        const session = await findSession(context, device, sessionID)
        const running = session && (terminals.get(session.id) ?? (await beingStarted(session, signal)))
        const isHere = running !== undefined || (session?.agent === ATTACHED && session.openAsks > 0)
        if (!session || !isHere) return refusal('not_found')
        const [ask, another] = openAsks(session.id)
        if (ask) {
          const dialog = another ? 'other' : await running?.dialogOf(ask)
          const answer = dialog === 'other' ? undefined : typedAnswer(input, ask, dialog)
          if (!answer) return refusal('dialog_open')
          const reply = await answerAsk(context, { device, id: ask.id, answer, via: 'pty-input', bound: 'id' })
          return reply.status < 300 ? { status: 202, body: {} } : reply
        }
        const how = await running?.terminal.typeUnlessAsked(`device ${device.id}`, input)
        if (how === 'typed') return { status: 202, body: {} }
        return refusal(how === 'busy' ? 'busy' : 'dialog_open')
      },
    }),
    ...conversationRoutes(context, terminals),
  ]

  async function beingStarted({ id, agent, state }: Session, signal: AbortSignal) {
    if (agent !== TERMINAL_AGENT || state === 'dead') return undefined
    const soon = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
    return runningTerminal(context, terminals, { id, signal: soon })
  }

  function openAsks(id: SessionId): Ask[] {
    return [...(context.ledger.views().get(id)?.asks.values() ?? [])]
  }
}

function titleOf(command: string, args: readonly string[]): string {
  const line = [command.replace(/^.*\//, ''), ...args].join(' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
