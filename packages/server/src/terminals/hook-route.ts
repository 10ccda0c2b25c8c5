import { randomUUID } from 'node:crypto'
import type { AttachedAgents } from '@holdpoint/agents/attached/attached-agents'
import { Hook, ProcessName } from '@holdpoint/agents/attached/hook-call'
import { createProcessWatch } from '@holdpoint/agents/attached/process-watch'
import { createClaudeProcesses } from '@holdpoint/agents/hook/claude-process'
import { HOOK_PATH } from '@holdpoint/agents/hook/hook-access'
import { runningProcess } from '@holdpoint/agents/host/processes'
import { DriverError } from '@holdpoint/core/driver'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { refusal } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import type { TerminalAccess } from './terminal-access.ts'

/** A result comes along with what it is the result of. */
const BODY_LIMIT = 32 * 1024 * 1024

const Pid = z.coerce.number().int().min(1)

/** What hooks call, on a socket of their own (see `hook-socket.ts`). */
export function hookRoute(
  context: Pick<Context, 'devices' | 'clock'>,
  attached: AttachedAgents,
  access: TerminalAccess,
): Route {
  const claudeOf = createClaudeProcesses()
  const processWatch = createProcessWatch(context.clock)
  const waiting = new Set<AbortController>()
  // An answer to what a revoked one asked would count and reach nobody: its asks go with it (I8).
  context.devices.onRevoked((id) => {
    if (access.isTerminals(id)) for (const hook of waiting) hook.abort()
  })
  return route({
    method: 'POST',
    path: HOOK_PATH,
    action: 'attach-terminal',
    summary:
      'For the hooks of "holdpoint attach": what Claude Code tells them. A permission request is answered when its ask is, with what to print; 204 leaves it to the terminal',
    query: z.strictObject({
      /** The hook itself. */
      pid: Pid,
      parent: Pid,
      /** The same request again has the same id. */
      request: z
        .string()
        .regex(/^[A-Za-z0-9-]{8,64}$/)
        .optional(),
    }),
    body: Hook,
    bodyLimit: BODY_LIMIT,
    replies: { 200: z.record(z.string(), z.unknown()), 204: 'nothing to say' },
    async handle({ body: hook, query, device, signal }) {
      // Whoever may raise asks of its own must not speak for this machine's terminals.
      if (!access.isTerminals(device.id)) return refusal('forbidden')
      const process = ProcessName.safeParse(claudeOf(query.parent, hook.session_id))
      if (!process.success) return refusal('invalid_request', { issues: ['the parent is no program of a user'] })
      const asker = await named(query.pid)
      const call = { requestId: requestIdOf(query.request, asker), hook, process: process.data }
      const gone = new AbortController()
      waiting.add(gone)
      // A hook that is killed leaves its curl behind, and with it a connection on which nobody listens any more.
      const stopLooking = processWatch.add(asker, () => gone.abort())
      try {
        const { output } = await attached.hook(call, AbortSignal.any([signal, gone.signal]))
        // Revoked while it waited: then it is told nothing (I8).
        if (!context.devices.current(device.id)) return refusal('unauthorized')
        return output === undefined ? { status: 204 } : { status: 200, body: output }
      } catch (error) {
        if (error instanceof DriverError && error.code === 'detached') return refusal('closing')
        throw error
      } finally {
        stopLooking()
        waiting.delete(gone)
      }
    },
  })
}

/** For "holdpoint attach", which wants to know whether hooks will be heard: a call of its own, and no hook that is none. */
export function hookCheckRoute(access: TerminalAccess): Route {
  return route({
    method: 'GET',
    path: HOOK_PATH,
    action: 'attach-terminal',
    summary: "Say whether this credential is the one of this machine's terminals",
    replies: { 204: 'it is' },
    handle: async ({ device }) => (access.isTerminals(device.id) ? { status: 204 } : refusal('forbidden')),
  })
}

export function accessRoute(context: Pick<Context, 'log'>, access: TerminalAccess): Route {
  return route({
    method: 'POST',
    path: '/api/terminals/access',
    action: 'manage-devices',
    summary: 'Give the terminals of this machine a credential again, after theirs was revoked',
    replies: { 204: 'they have one' },
    async handle({ device }) {
      await access.renew()
      context.log.info('the terminals of this machine got a credential', { by: device.id })
      return { status: 204 }
    },
  })
}

async function named(pid: number): Promise<ProcessName> {
  const entry = await runningProcess(pid)
  return entry ? { pid, startedAt: Number(entry.startTime) } : { pid }
}

/** The same request of the same hook process has the same id. Another process gets no part of its answer (I5). */
function requestIdOf(request: string | undefined, { pid, startedAt }: ProcessName): string {
  return request === undefined ? randomUUID() : `${request}.${pid}.${startedAt ?? 0}`
}
