import { randomUUID } from 'node:crypto'
import type { AttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import { Hook, ProcessName } from '@holdpoint/agents/claude/attached/hook-call'
import { HOOK_PATH } from '@holdpoint/agents/claude/hooks/hook-access'
import { runningProcess } from '@holdpoint/agents/processes/processes'
import { isDetached } from '@holdpoint/core/driver'
import type { Endpoint } from '@holdpoint/schema/endpoint'
import { terminalEndpoints } from '@holdpoint/schema/endpoints/terminals'
import { z } from 'zod'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

/** A result comes along with what it is the result of. */
const BODY_LIMIT = 32 * 1024 * 1024

const Pid = z.coerce.number().int().min(1)

/** Not of the native API: hooks and gateway are of one version, and speak on a socket of their own. */
const ENDPOINTS = {
  call: {
    method: 'POST',
    path: HOOK_PATH,
    summary:
      'For the hooks of "holdpoint attach": receives their events. A permission request gets its reply, the text to print, when its ask is answered; 204 leaves it to the terminal. A call before it runs always gets a text',
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
    replies: { 200: z.record(z.string(), z.unknown()), 204: 'nothing to print' },
  },
  check: {
    method: 'GET',
    path: HOOK_PATH,
    summary: 'Check whether this credential is the one of the terminals on this machine',
    replies: { 204: 'it is' },
  },
} satisfies Record<string, Endpoint>

/** What hooks call, on a socket of their own (see `terminals/hook-socket.ts`). */
export function hookRoute(
  services: Pick<Services, 'devices' | 'claudeProcesses' | 'hookWaits' | 'terminalAccess'>,
  attached: AttachedAgents,
): Route {
  const { devices, claudeProcesses: claudeOf, hookWaits, terminalAccess: access } = services
  return route(ENDPOINTS.call, {
    action: 'attach-terminal',
    bodyLimit: BODY_LIMIT,
    async handle({ body: hook, query, device, signal }) {
      // Whoever may raise asks of its own must not speak for this machine's terminals.
      if (!access.isTerminals(device.id)) return refusal('forbidden')
      const process = ProcessName.safeParse(claudeOf(query.parent, hook.session_id))
      if (!process.success)
        return refusal('invalid_request', { issues: ['the parent process is not a program of a user'] })
      const asker = await named(query.pid)
      const call = { requestId: requestIdOf(query.request, asker), hook, process: process.data }
      const wait = hookWaits.begin(asker)
      try {
        const { output } = await attached.hook(call, AbortSignal.any([signal, wait.signal]))
        // Revoked while it waited: then it is told nothing (I8).
        if (!devices.current(device.id)) return refusal('unauthorized')
        return output === undefined ? { status: 204 } : { status: 200, body: output }
      } catch (error) {
        if (isDetached(error)) return refusal('closing')
        throw error
      } finally {
        wait.end()
      }
    },
  })
}

/** For "holdpoint attach", which wants to know whether hooks will be heard: a call of its own, and no hook that is none. */
export function hookCheckRoute({ terminalAccess: access }: Pick<Services, 'terminalAccess'>): Route {
  return route(ENDPOINTS.check, {
    action: 'attach-terminal',
    handle: async ({ device }) => (access.isTerminals(device.id) ? { status: 204 } : refusal('forbidden')),
  })
}

export function accessRoute({ terminalAccess: access, log }: Pick<Services, 'terminalAccess' | 'log'>): Route {
  return route(terminalEndpoints.renewAccess, {
    action: 'manage-devices',
    async handle({ device }) {
      await access.renew()
      log.info('terminal_credential_created', { by: device.id })
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
