import { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'
import type { TerminalProgram, Terminals } from '@holdpoint/agents/pty/terminals'
import { projectsDir } from '@holdpoint/agents/transcript/project-folder'
import { idMaker } from '@holdpoint/schema/id'
import { Session } from '@holdpoint/schema/session'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { existingFolder } from '../existing-folder.ts'
import { refusal } from '../http/errors.ts'
import { repeatableIds } from '../http/idempotency.ts'
import { type Route, route } from '../http/route.ts'
import { pooledRandomBytes } from '../pooled-random.ts'
import { findSession } from '../sending.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { TerminalSize } from './pty-frames.ts'
import { ptyInputRoute } from './pty-input-route.ts'

/** By session: what runs in its terminal. */
const PROGRAMS = 'terminals'
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
    ptyInputRoute(context, terminals),
    ...conversationRoutes(context, terminals),
  ]
}

function titleOf(command: string, args: readonly string[]): string {
  const line = [command.replace(/^.*\//, ''), ...args].join(' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
