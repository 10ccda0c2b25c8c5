import { projectsDir } from '@holdpoint/agents/claude/transcript/project-folder'
import type { TerminalProgram, Terminals } from '@holdpoint/agents/hosted/terminals'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { Device } from '@holdpoint/schema/device'
import { type StartTerminal, terminalEndpoints } from '@holdpoint/schema/endpoints/terminals'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { recordTerminalProgram } from '../terminals/terminal-programs.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import { type RepeatableIds, repeatableIds } from '../transport/idempotency.ts'
import { type Route, route } from '../transport/route.ts'
import { existingFolder } from '../trust/existing-folder.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { ptyInputRoute } from './pty-input-route.ts'

const BODY_LIMIT = 4 * 1024 * 1024

type Deps = Parameters<typeof ptyInputRoute>[0] &
  Pick<Services, 'sessions' | 'ownRecords' | 'trustedFolders' | 'keyedStarts' | 'newId'>

export function ptyRoutes(services: Deps, terminals: Terminals): Route[] {
  const { sessions, newId } = services

  return [
    route(terminalEndpoints.start, {
      action: 'start-session',
      bodyLimit: BODY_LIMIT,
      handle(call) {
        const ids = repeatableIds(call)
        if (!ids) return start(call, { session: newId('ses'), message: newId('itm') })
        return services.keyedStarts.once(ids.session, call.body, () => start(call, ids))
      },
    }),
    ptyInputRoute(services, terminals),
    ...conversationRoutes(services, terminals),
  ]

  async function start(call: { device: Device; body: StartTerminal }, ids: RepeatableIds): Promise<Reply> {
    const { command, args, cols, rows, env, title } = call.body
    const before = await findSession(services, call.device, ids.session)
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
    await recordTerminalProgram(services.ownRecords, ids.session, program)
    if (env) terminals.giveEnvironment(ids.session, env)
    const trusted = await services.trustedFolders.isTrusted(cwd)
    const started = await sessions.start({
      agent: TERMINAL_AGENT,
      cwd,
      title: title ?? titleOf(command, args),
      permissionMode: 'default',
      gate: 'default',
      // A dialog on its screen waits for as long as nobody answers it there or here.
      askTimeoutMs: null,
      trusted,
      ids,
    })
    return started.ok ? { status: 201, body: started.value } : refusal(started.refusal)
  }
}

function titleOf(command: string, args: readonly string[]): string {
  const line = [command.replace(/^.*\//, ''), ...args].join(' ')
  return line.length > 80 ? `${line.slice(0, 77)}...` : line
}
