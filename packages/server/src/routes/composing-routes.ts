import { runsElsewhere } from '@holdpoint/core/session-refusal'
import type { Device } from '@holdpoint/schema/device'
import { sessionEndpoints } from '@holdpoint/schema/endpoints/sessions'
import type { OfferedCommand } from '@holdpoint/schema/offers'
import { may } from '../auth/policy.ts'
import { agentCommand } from '../services/agent-command.ts'
import { createFindFiles } from '../services/find-files.ts'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

type Deps = Pick<Services, 'ledger' | 'store' | 'sessions' | 'machines' | 'clock'>

/** What a message can be made of. */
export function composingRoutes(services: Deps): Route[] {
  const { sessions, machines } = services
  const findFiles = createFindFiles(services.clock)

  async function machineOf(device: Device, id: string | undefined) {
    return machines.elsewhere(await findSession(services, device, id))
  }

  return [
    route(sessionEndpoints.offers, {
      action: 'complete-message',
      machine: ({ params, device }) => machineOf(device, params.id),
      async handle({ params, device }) {
        const session = await findSession(services, device, params.id)
        if (!session) return refusal('not_found')
        const offers = await sessions.offers(session.id)
        if (!offers.ok) return refusal(offers.refusal, offers.message ? { detail: offers.message } : {})
        const { models, commands } = offers.value
        return { status: 200, body: { models, commands: commands.map((offered) => forSender(device, offered)) } }
      },
    }),
    route(sessionEndpoints.files, {
      action: 'complete-message',
      machine: ({ params, device }) => machineOf(device, params.id),
      // One listing of a folder is in memory at a time for each credential.
      inTurn: true,
      async handle({ params, query, device }) {
        const session = await findSession(services, device, params.id)
        if (!session) return refusal('not_found')
        // A program or a terminal says itself what its folder is: it may be any, or on another machine.
        if (runsElsewhere(session)) return refusal('not_supported')
        return { status: 200, body: await findFiles(session.cwd, query.typed) }
      },
    }),
  ]
}

/** Says of a command whether this credential may send it, as the route for messages decides. */
function forSender(device: Device, offered: OfferedCommand): OfferedCommand {
  const mayNot = agentCommand(`/${offered.name}`) !== undefined && !may(device, 'send-command')
  return mayNot ? { ...offered, ownerOnly: true } : offered
}
