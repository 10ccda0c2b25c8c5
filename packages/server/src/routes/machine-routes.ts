import type { Cluster } from '@holdpoint/core/cluster'
import { machineEndpoints } from '@holdpoint/schema/endpoints/machines'
import { NodeId } from '@holdpoint/schema/id'
import { giveUpMachine } from '../services/give-up-machine.ts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

const REACHABLE = refusal('not_supported', { message: 'This machine can be reached. Stop its gateway first.' })
const HAS_SESSIONS = refusal('not_supported', {
  message: 'This machine has sessions that have not ended. Give it up first.',
})

/** The machines whose gateways share the log. Where there is one gateway there are none to list. */
export function machineRoutes(
  services: Pick<Services, 'ledger' | 'machines' | 'otherPolicyFiles' | 'newId' | 'log'>,
  cluster: Cluster | undefined,
): Route[] {
  const { ledger, machines, log } = services
  const find = (id: string | undefined) => machines.list()?.find((machine) => machine.id === id)
  const idOf = (id: string | undefined) => NodeId.safeParse(id).data

  return [
    route(machineEndpoints.list, {
      action: 'read-sessions',
      handle: () => ({
        status: 200,
        body: {
          machines: (machines.list() ?? []).map(({ beatAgeMs, ...machine }) => ({
            ...machine,
            beatAgeMs: Math.round(beatAgeMs),
            isThis: machine.id === machines.node,
            isHome: machine.id === machines.home,
          })),
        },
      }),
    }),
    route(machineEndpoints.change, {
      action: 'manage-machines',
      async handle({ params, body, device }) {
        const id = idOf(params.id)
        if (!cluster || !id || !find(id)) return refusal('not_found')
        if (body.name !== undefined && !(await cluster.rename(id, body.name))) return refusal('not_found')
        if (body.isDraining !== undefined && !(await cluster.drain(id, body.isDraining))) return refusal('not_found')
        log.info('machine_changed', { node: id, ...body, by: device.id })
        return { status: 204 }
      },
    }),
    route(machineEndpoints.giveUp, {
      action: 'manage-machines',
      async handle({ params, device }) {
        const machine = find(params.id)
        if (!machine) return refusal('not_found')
        if (machine.isReachable) return REACHABLE
        const sessions = await giveUpMachine(services, machine)
        log.warn('machine_given_up', { node: machine.id, sessions, by: device.id })
        return { status: 200, body: { sessions } }
      },
    }),
    route(machineEndpoints.forget, {
      action: 'manage-machines',
      async handle({ params, device }) {
        const id = idOf(params.id)
        if (!cluster || !id || !find(id)) return refusal('not_found')
        const isAlive = [...ledger.views().values()].some(({ session }) => machines.elsewhere(session) === id)
        if (isAlive) return HAS_SESSIONS
        const forgotten = await cluster.forget(id)
        if (forgotten === 'unknown') return refusal('not_found')
        if (forgotten === 'reachable') return REACHABLE
        await services.otherPolicyFiles.forget(id)
        log.info('machine_forgotten', { node: id, by: device.id })
        return { status: 204 }
      },
    }),
  ]
}
