import type { ChangesSince } from '@holdpoint/schema/changed-files'
import type { Device } from '@holdpoint/schema/device'
import { sessionEndpoints } from '@holdpoint/schema/endpoints/sessions'
import type { SessionId } from '@holdpoint/schema/id'
import type { ChangedFilesService } from '../services/changed-files.ts'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

type Deps = Pick<Services, 'ledger' | 'store' | 'machines' | 'changedFiles'>

const NOT_NOTED = refusal('not_supported', {
  message:
    'It is not known what this session has changed: its files were not looked at when it began. That is so in the folders of Holdpoint itself, and for agents inside of other programs.',
})

/** What a session has changed. Whoever may see the session may see that, as its thread shows most of it already. */
export function changeRoutes(services: Deps): Route[] {
  const machine = async ({ params, device }: { params: Readonly<Record<string, string>>; device: Device }) =>
    services.machines.elsewhere(await findSession(services, device, params.id))

  async function reply<Found extends object>(
    call: { readonly params: Readonly<Record<string, string>>; readonly device: Device },
    look: (files: ChangedFilesService, id: SessionId) => Promise<Found | undefined>,
    missing: Reply,
  ): Promise<Reply> {
    const session = await findSession(services, call.device, call.params.id)
    if (!session) return refusal('not_found')
    const found = services.changedFiles && (await look(services.changedFiles, session.id))
    return found ? { status: 200, body: found } : missing
  }

  return [
    route(sessionEndpoints.changes, {
      action: 'read-sessions',
      machine,
      inTurn: true,
      handle: (call) => {
        const since: ChangesSince = call.query.since
        return reply(call, (files, id) => files.list(id, since), NOT_NOTED)
      },
    }),
    route(sessionEndpoints.change, {
      action: 'read-sessions',
      machine,
      inTurn: true,
      handle: (call) => {
        const { since, path } = call.query
        return reply(call, (files, id) => files.file(id, since, path), refusal('not_found'))
      },
    }),
  ]
}
