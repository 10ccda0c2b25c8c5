import { callOf } from '@holdpoint/client/endpoint-call'
import type { Transport } from '@holdpoint/client/transport'
import { paths } from '@holdpoint/schema/paths'
import { UNREACHABLE } from '../parts/use-remote.ts'
import { deviceName } from '../text/device-name.ts'

const REFUSED = 'This code was refused. Get a new one.'

/**
 * Trades the code for this browser's credential; gives back why it could not, in words. Before the client connects: a
 * first try without a credential would be refused.
 */
export async function login(transport: Transport, code: string): Promise<string | undefined> {
  try {
    const body = { code, name: deviceName(navigator.userAgent) }
    const reply = await transport.call(callOf(paths.account.login, { body }))
    return reply.status === 200 ? undefined : messageOf(reply.body)
  } catch {
    return UNREACHABLE
  }
}

function messageOf(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: unknown } }
  return typeof error?.message === 'string' ? error.message : REFUSED
}
