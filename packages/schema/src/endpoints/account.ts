import { z } from 'zod'
import { DEVICE_NAME_LENGTH, Device } from '../device.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { SessionId } from '../id.ts'
import { Role } from '../outcome.ts'
import { AskProof, SealedSecret } from '../page-proof.ts'
import { paths } from '../paths.ts'

/** The caller's own credential, and the gateway it is for. */
export const Me = z.object({
  device: Device,
  version: z.string(),
  /** What can be run. */
  agents: z.array(z.string()),
  publicUrl: z.string(),
})
export type Me = z.infer<typeof Me>

export const accountEndpoints = {
  login: {
    ...paths.account.login,
    summary: 'Exchange a single-use code for a credential: the secret of a page, or a token with bearer:true',
    body: z.strictObject({
      code: z.string().min(1).max(256),
      name: z.string().max(DEVICE_NAME_LENGTH).optional(),
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
  },
  prove: {
    ...paths.account.prove,
    summary: 'Prove to a page that this is the gateway that it logged in to',
    body: AskProof,
    replies: { 200: z.object({ proof: z.string(), key: z.string() }) },
  },
  pass: {
    ...paths.account.pass,
    summary: 'The pass that a page sends in its calls instead of its secret. Valid until the gateway restarts',
    body: SealedSecret,
    replies: { 201: z.object({ pass: z.string() }) },
  },
  ticket: {
    ...paths.account.ticket,
    summary: 'A single-use ticket for the address of an event stream or WebSocket that a browser opens',
    body: z.strictObject({ path: z.string().startsWith('/').max(512) }),
    replies: { 201: z.object({ ticket: z.string(), expiresInMs: z.int() }) },
  },
  me: {
    ...paths.account.me,
    summary: 'This credential, and the gateway that it is for',
    replies: { 200: Me },
  },
  logout: {
    ...paths.account.logout,
    summary: 'Revoke the credential of this call',
    replies: { 204: 'logged out' },
  },
  devices: {
    ...paths.account.devices,
    summary: 'Every credential',
    replies: { 200: z.object({ devices: z.array(Device) }) },
  },
  rename: {
    ...paths.account.rename,
    summary: 'Rename a credential: an owner any, others their own',
    body: z.strictObject({ name: z.string().trim().min(1).max(DEVICE_NAME_LENGTH) }),
    replies: { 200: Device },
  },
  revoke: {
    ...paths.account.revoke,
    summary: 'Revoke a credential immediately',
    replies: { 204: 'revoked' },
  },
  pair: {
    ...paths.account.pair,
    summary: 'A single-use code for another device, valid for five minutes',
    body: z.strictObject({ role: Role, sessionIds: z.array(SessionId).min(1).max(1000).optional() }),
    replies: { 201: z.object({ id: z.string(), code: z.string(), url: z.string(), expiresAt: z.int() }) },
  },
  pairing: {
    ...paths.account.pairing,
    summary: 'Whether the code of a pairing was used, and the device that used it. Known until the code would expire',
    replies: { 200: z.object({ device: Device.optional(), expiresAt: z.int() }) },
  },
} satisfies EndpointsOf<typeof paths.account>
