import type { GatewayClient } from '@holdpoint/client/gateway-client'
import { createPageLoginStore } from '@holdpoint/client/page-login'
import { wasLoggedIn } from './login-memory.ts'

const CLEARED = 'The browser has deleted the data of this page, and with it the login. Please log in again.'
const ENDED =
  'The login of this browser has ended: it was revoked, or not used for twelve hours, or is seven days old. Please log in again.'

/** Why a browser that was logged in is so no more, in words; `undefined` where there is nothing to explain. */
export async function loggedOutReason(client: Pick<GatewayClient, 'me'>): Promise<string | undefined> {
  const reply = await client.me().catch(() => undefined)
  if (reply && !reply.ok && reply.detail !== undefined) return reply.detail
  if (!wasLoggedIn()) return undefined
  return (await createPageLoginStore(location.origin).read()) === undefined ? CLEARED : ENDED
}
