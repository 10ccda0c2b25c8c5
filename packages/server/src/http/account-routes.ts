import type { IncomingMessage } from 'node:http'
import { Device } from '@holdpoint/schema/device'
import { DeviceId, SessionId } from '@holdpoint/schema/id'
import { Role } from '@holdpoint/schema/outcome'
import { AskProof, SealedSecret } from '@holdpoint/schema/page-proof'
import { z } from 'zod'
import { createAttempts } from '../auth/attempts.ts'
import { loginLink } from '../auth/login-link.ts'
import { forgetOldCookie } from '../auth/old-cookie.ts'
import type { PageProofs } from '../auth/page-proofs.ts'
import { TICKET_MS, type Tickets } from '../auth/tickets.ts'
import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'
import { type Refusal, refusal } from './errors.ts'
import { type Route, route } from './route.ts'

/** Names none: a transaction on it changes nothing, and takes its turn like any other. */
const NO_SESSION: SessionId = 'ses_00000000000000000000000000'

/** Credentials. */
export function accountRoutes(context: Context, tickets: Tickets, proofs: PageProofs): Route[] {
  const attempts = createAttempts({ monotonic: context.clock.monotonic, perSource: 5, overall: 30 })

  return [
    route({
      method: 'POST',
      path: '/api/login',
      action: 'public',
      summary: 'Trade a single-use code for a credential: the secret of a page, or with bearer:true a token',
      body: z.strictObject({
        code: z.string().min(1).max(256),
        name: z.string().max(120).optional(),
        bearer: z.boolean().optional(),
      }),
      replies: {
        200: z.object({
          device: Device,
          secret: z.string().optional(),
          proofKey: z.string().optional(),
          token: z.string().optional(),
        }),
      },
      async handle({ body, request, pageOrigin }) {
        // Before the code is used up.
        if (!body.bearer && pageOrigin === undefined) return refusal('shared_name')
        const kind = body.bearer ? 'bearer' : 'browser'
        const redeemed = await context.devices.redeem(body.code, { name: body.name ?? nameOf(request), kind })
        // A good code always counts: whoever else is at this address must not be able to keep its owner out (T47). Codes
        // have 256 bits, so looking at each guess gives nothing away.
        if (!redeemed) {
          const source = request.socket.remoteAddress ?? ''
          return refusal(attempts.failed(source) ? 'invalid_code' : 'too_many_attempts')
        }
        const { device, secret } = redeemed
        context.log.info('a device logged in', { device: device.id, name: device.name, role: device.role })
        if (body.bearer) return { status: 200, body: { device, token: secret } }
        return {
          status: 200,
          body: { device, secret, proofKey: await proofs.keyFor(device.id) },
          headers: forgetOldCookie(request.headers.cookie, context.devices),
        }
      },
    }),
    route({
      method: 'POST',
      path: '/api/proofs',
      action: 'public',
      summary: 'Prove to a page that this is the gateway that it logged in to',
      body: AskProof,
      replies: { 200: z.object({ proof: z.string(), key: z.string() }) },
      async handle({ body, pageOrigin }) {
        if (pageOrigin === undefined) return refusal('shared_name')
        return { status: 200, body: await proofs.prove({ ...body, origin: pageOrigin }) }
      },
    }),
    route({
      method: 'POST',
      path: '/api/passes',
      action: 'public',
      summary: 'What a page calls with from now on, instead of its secret: good until the gateway is started anew',
      body: SealedSecret,
      replies: { 201: z.object({ pass: z.string() }) },
      handle({ body, pageOrigin }) {
        if (pageOrigin === undefined) return refusal('shared_name')
        const pageSecret = proofs.open({ ...body, origin: pageOrigin })
        const device = pageSecret === undefined ? undefined : context.devices.authenticate({ pageSecret })
        if (!device) return refusal('unauthorized')
        return { status: 201, body: { pass: proofs.passFor(device.id) } }
      },
    }),
    route({
      method: 'POST',
      path: '/api/tickets',
      action: 'read-events',
      summary: 'A single-use ticket, for the address of an event stream or a WebSocket that a browser opens',
      body: z.strictObject({ path: z.string().startsWith('/').max(512) }),
      replies: { 201: z.object({ ticket: z.string(), expiresInMs: z.int() }) },
      handle({ body, device, surface }) {
        const ticket = tickets.issue({ device, surface, path: body.path })
        if (ticket === undefined) return refusal('too_many_connections')
        return { status: 201, body: { ticket, expiresInMs: TICKET_MS } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/me',
      action: 'read-self',
      summary: 'This credential, and what it is connected to',
      replies: {
        200: z.object({
          device: Device,
          version: z.string(),
          agents: z.array(z.string()),
          publicUrl: z.string(),
          askTimeoutMs: z.int().optional(),
        }),
      },
      handle: ({ device }) => ({
        status: 200,
        body: {
          device,
          version: VERSION,
          agents: context.agents,
          publicUrl: context.publicUrl(),
          ...(context.askTimeoutMs !== undefined && { askTimeoutMs: context.askTimeoutMs }),
        },
      }),
    }),
    route({
      method: 'POST',
      path: '/api/logout',
      action: 'log-out',
      summary: 'Revoke the credential that this call is made with',
      replies: { 204: 'logged out' },
      async handle({ device }) {
        const how = await context.devices.revoke(device.id)
        if (how === 'unknown')
          return refusal('forbidden', { reason: 'HOLDPOINT_TOKEN lasts as long as the gateway has it' })
        if (how === 'locked-out') return lockedOut(context, device.id)
        await earlierDecisions(context)
        context.log.info('a device logged out', { device: device.id, name: device.name })
        return { status: 204 }
      },
    }),
    route({
      method: 'GET',
      path: '/api/devices',
      action: 'manage-devices',
      summary: 'Every credential',
      replies: { 200: z.object({ devices: z.array(Device) }) },
      handle: () => ({ status: 200, body: { devices: context.devices.list() } }),
    }),
    route({
      method: 'DELETE',
      path: '/api/devices/:id',
      action: 'manage-devices',
      summary: 'Revoke a credential, at once',
      replies: { 204: 'revoked' },
      async handle({ params, device }) {
        const id = DeviceId.safeParse(params.id)
        const how = id.success ? await context.devices.revoke(id.data) : 'unknown'
        if (!id.success || how === 'unknown') return refusal('not_found')
        if (how === 'locked-out') return lockedOut(context, id.data)
        await earlierDecisions(context)
        context.log.info('a device was revoked', { device: id.data, by: device.id })
        return { status: 204 }
      },
    }),
    route({
      method: 'POST',
      path: '/api/pairings',
      action: 'manage-devices',
      summary: 'A single-use code for another device, good for five minutes',
      body: z.strictObject({ role: Role, sessionIds: z.array(SessionId).min(1).max(1000).optional() }),
      replies: { 201: z.object({ code: z.string(), url: z.string(), expiresAt: z.int() }) },
      handle({ body, device }) {
        const { code, expiresAt } = context.devices.newCode(body, device.id)
        return { status: 201, body: { code, url: loginLink(context.publicUrl(), code), expiresAt } }
      },
    }),
  ]
}

/** Both halves are said: it is refused, and it is not yet gone for good (T12, F20). */
function lockedOut({ log }: Context, device: DeviceId): Refusal {
  log.error('a device is locked out, but could not be removed from the disk', { device })
  return refusal('store_unavailable', { message: LOCKED_OUT })
}

const LOCKED_OUT =
  'This device is locked out from now on, but its record could not be removed from the disk (is it full?). The gateway keeps trying, and the list of devices shows it until it is gone. A restart before that would let the device in again: make room first.'

/**
 * Resolves when whatever was decided before now is committed: after a revoke is acknowledged, nothing of the device's
 * comes in any more (T12).
 */
async function earlierDecisions({ ledger }: Context): Promise<void> {
  await ledger.transact(NO_SESSION, () => ({ events: [], result: undefined }))
}

/** A name for the device list, until a person gives a better one. Said by the client: shown, never relied on. */
function nameOf(request: IncomingMessage): string {
  return request.headers['user-agent']?.slice(0, 120) || 'unknown device'
}
