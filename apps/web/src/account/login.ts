import { callOf } from '@holdpoint/client/endpoint-call'
import type { Transport } from '@holdpoint/client/transport'
import { paths } from '@holdpoint/schema/paths'
import { UNREACHABLE } from '../parts/use-remote.ts'
import { deviceName } from '../text/device-name.ts'

/** Why a login link did not work. */
export interface LoginFailure {
  readonly message: string
  /** It was used already, is too old or not whole: another link is needed. */
  readonly isSpent: boolean
}

const REFUSED = 'This code was refused. Get a new one.'

/**
 * Trades the code for this browser's credential; gives back why it could not, in words. Before the client connects: a
 * first try without a credential would be refused.
 */
export async function login(transport: Transport, code: string): Promise<LoginFailure | undefined> {
  try {
    const body = { code, name: deviceName(navigator.userAgent) }
    const reply = await transport.call(callOf(paths.account.login, { body }))
    return reply.status === 200 ? undefined : failureOf(reply.body)
  } catch {
    return { message: UNREACHABLE, isSpent: false }
  }
}

function failureOf(body: unknown): LoginFailure {
  const { error } = (body ?? {}) as { error?: { message?: unknown; code?: unknown } }
  return {
    message: typeof error?.message === 'string' ? error.message : REFUSED,
    // A code that cannot be one is refused as a field.
    isSpent: error?.code === 'invalid_code' || error?.code === 'invalid_request',
  }
}
