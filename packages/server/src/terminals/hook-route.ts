import type { AttachedAgents } from '@holdpoint/agents/attached/attached-agents'
import { HookCall } from '@holdpoint/agents/attached/hook-call'
import { DriverError } from '@holdpoint/core/driver'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { refusal } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import type { TerminalAccess } from './terminal-access.ts'

/** A result comes along with what it is the result of. */
const BODY_LIMIT = 32 * 1024 * 1024

export function hookRoutes(
  context: Pick<Context, 'devices' | 'log'>,
  attached: AttachedAgents,
  access: TerminalAccess,
): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/terminals/hook',
      action: 'attach-terminal',
      summary:
        'For the hooks of "holdpoint attach": what Claude Code tells them. A permission request is answered when its ask is, with what to print; 204 leaves it to the terminal',
      body: HookCall,
      bodyLimit: BODY_LIMIT,
      replies: { 200: z.object({ output: z.record(z.string(), z.unknown()) }), 204: 'nothing to say' },
      async handle({ body, device, signal }) {
        // Whoever may raise asks of its own must not speak for this machine's terminals.
        if (!access.isTerminals(device.id)) return refusal('forbidden')
        try {
          const { output } = await attached.hook(body, signal)
          // Revoked while it waited: then it is told nothing (I8).
          if (!context.devices.current(device.id)) return refusal('unauthorized')
          return output === undefined ? { status: 204 } : { status: 200, body: { output } }
        } catch (error) {
          if (error instanceof DriverError && error.code === 'detached') return refusal('closing')
          throw error
        }
      },
    }),
    route({
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
    }),
  ]
}
