import type { IncomingMessage } from 'node:http'
import { accountEndpoints } from '@holdpoint/schema/endpoints/account'
import { DeviceId, type SessionId } from '@holdpoint/schema/id'
import { loginLink } from '../auth/login-link.ts'
import { forgetOldCookie } from '../auth/old-cookie.ts'
import { may } from '../auth/policy.ts'
import { TICKET_MS } from '../auth/tickets.ts'
import type { Services } from '../services/services.ts'
import { VERSION } from '../system/version.ts'
import { type Refusal, refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

/** Names none: a transaction on it changes nothing, and takes its turn like any other. */
const NO_SESSION: SessionId = 'ses_00000000000000000000000000'

type Deps = Pick<Services, 'ledger' | 'devices' | 'tickets' | 'pageProofs' | 'loginAttempts' | 'log'> & {
  /** What sessions can be started with. */
  readonly agents: readonly string[]
  /** Address that links carry. */
  readonly publicUrl: () => string
}

/** Credentials. */
export function accountRoutes(services: Deps): Route[] {
  const { tickets, pageProofs: proofs, loginAttempts: attempts } = services

  return [
    route(accountEndpoints.login, {
      action: 'public',
      async handle({ body, request, pageOrigin }) {
        // Before the code is used up.
        if (!body.bearer && pageOrigin === undefined) return refusal('shared_name')
        const kind = body.bearer ? 'bearer' : 'browser'
        const redeemed = await services.devices.redeem(body.code, { name: body.name ?? nameOf(request), kind })
        // A good code always counts: whoever else is at this address must not be able to keep its owner out (T47). Codes
        // have 256 bits, so looking at each guess gives nothing away.
        if (!redeemed) {
          const source = request.socket.remoteAddress ?? ''
          return refusal(attempts.failed(source) ? 'invalid_code' : 'too_many_attempts')
        }
        const { device, secret } = redeemed
        services.log.info('device_logged_in', { device: device.id, name: device.name, role: device.role })
        if (body.bearer) return { status: 200, body: { device, token: secret } }
        return {
          status: 200,
          body: { device, secret, proofKey: await proofs.keyFor(device.id) },
          headers: forgetOldCookie(request.headers.cookie, services.devices),
        }
      },
    }),
    route(accountEndpoints.prove, {
      action: 'public',
      async handle({ body, pageOrigin }) {
        if (pageOrigin === undefined) return refusal('shared_name')
        return { status: 200, body: await proofs.prove({ ...body, origin: pageOrigin }) }
      },
    }),
    route(accountEndpoints.pass, {
      action: 'public',
      handle({ body, pageOrigin }) {
        if (pageOrigin === undefined) return refusal('shared_name')
        const pageSecret = proofs.open({ ...body, origin: pageOrigin })
        const device = pageSecret === undefined ? undefined : services.devices.authenticate({ pageSecret })
        if (!device) return refusal('unauthorized')
        return { status: 201, body: { pass: proofs.passFor(device.id) } }
      },
    }),
    route(accountEndpoints.ticket, {
      action: 'read-events',
      handle({ body, device, surface }) {
        const ticket = tickets.issue({ device, surface, path: body.path })
        if (ticket === undefined) return refusal('too_many_connections')
        return { status: 201, body: { ticket, expiresInMs: TICKET_MS } }
      },
    }),
    route(accountEndpoints.me, {
      action: 'read-self',
      handle: ({ device }) => ({
        status: 200,
        body: {
          device,
          version: VERSION,
          agents: services.agents,
          publicUrl: services.publicUrl(),
        },
      }),
    }),
    route(accountEndpoints.logout, {
      action: 'log-out',
      async handle({ device }) {
        const how = await services.devices.revoke(device.id)
        if (how === 'unknown') return refusal('forbidden', { message: TOKEN_STAYS })
        if (how === 'locked-out') return lockedOut(services, device.id)
        await earlierDecisions(services)
        services.log.info('device_logged_out', { device: device.id, name: device.name })
        return { status: 204 }
      },
    }),
    route(accountEndpoints.devices, {
      action: 'manage-devices',
      handle: () => ({ status: 200, body: { devices: services.devices.list() } }),
    }),
    route(accountEndpoints.rename, {
      action: 'rename-device',
      async handle({ params, body, device }) {
        const id = DeviceId.safeParse(params.id)
        if (!id.success || (id.data !== device.id && !may(device, 'manage-devices'))) return refusal('not_found')
        const renamed = await services.devices.rename(id.data, body.name)
        if (!renamed) return refusal('not_found')
        services.log.info('device_renamed', { device: id.data, name: renamed.name, by: device.id })
        return { status: 200, body: renamed }
      },
    }),
    route(accountEndpoints.revoke, {
      action: 'manage-devices',
      async handle({ params, device }) {
        const id = DeviceId.safeParse(params.id)
        const how = id.success ? await services.devices.revoke(id.data) : 'unknown'
        if (!id.success || how === 'unknown') return refusal('not_found')
        if (how === 'locked-out') return lockedOut(services, id.data)
        await earlierDecisions(services)
        services.log.info('device_revoked', { device: id.data, by: device.id })
        return { status: 204 }
      },
    }),
    route(accountEndpoints.pair, {
      action: 'manage-devices',
      async handle({ body, device }) {
        const { id, code, expiresAt, isKept } = services.devices.newCode(body, device.id)
        await isKept
        return { status: 201, body: { id, code, url: loginLink(services.publicUrl(), code), expiresAt } }
      },
    }),
    route(accountEndpoints.pairing, {
      action: 'manage-devices',
      async handle({ params }) {
        const pairing = await services.devices.pairing(params.id ?? '')
        return pairing ? { status: 200, body: pairing } : refusal('not_found')
      },
    }),
  ]
}

/** Both halves are said: it is refused, and it is not yet gone for good (T12, F20). */
function lockedOut({ log }: Pick<Services, 'log'>, device: DeviceId): Refusal {
  log.error('revocation_not_persisted', { device })
  return refusal('store_unavailable', { message: LOCKED_OUT })
}

const TOKEN_STAYS = 'HOLDPOINT_TOKEN cannot be revoked. It is valid as long as the gateway runs with it.'
const LOCKED_OUT =
  'This device is locked out now, but its record could not be removed from the disk (is it full?). The gateway keeps trying, and the device list shows the device until then. Free some disk space before you restart the gateway: a restart before that would let the device in again.'

/**
 * Resolves when whatever was decided before now is committed: after a revoke is acknowledged, nothing of the device's
 * comes in any more (T12).
 */
async function earlierDecisions({ ledger }: Pick<Services, 'ledger'>): Promise<void> {
  await ledger.transact(NO_SESSION, () => ({ events: [], result: undefined }))
}

/** A name for the device list, until a person gives a better one. Said by the client: shown, never relied on. */
function nameOf(request: IncomingMessage): string {
  return request.headers['user-agent']?.slice(0, 120) || 'unknown device'
}
