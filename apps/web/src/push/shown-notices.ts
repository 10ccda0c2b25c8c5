import type { GatewayClient } from '@holdpoint/client/gateway-client'
import type { AskId } from '@holdpoint/schema/id'
import { settle } from '../parts/use-remote.ts'

/** The tag of the one notification that counts several asks, as a gateway sends it: each of several has its own. */
const SEVERAL = /^asks(-|$)/

/**
 * Whether a notification says what is not so any more. One ask has its id as the tag. A push can be here before the page
 * has heard of its ask: what the page does not know, the gateway is asked for. The one that counts several is over when none is
 * open, and when a person looks at the app, which counts better.
 */
export async function isOver(
  tag: string,
  client: Pick<GatewayClient, 'getState' | 'historyDetail'>,
  inFront: boolean,
): Promise<boolean> {
  const { asks, settled } = client.getState()
  if (SEVERAL.test(tag)) return asks.length === 0 || inFront
  if (!isAskId(tag) || asks.some(({ id }) => id === tag)) return false
  if (settled.some(({ ask }) => ask.id === tag)) return true
  const found = await settle(client.historyDetail(tag))
  return found.ok ? found.value.ask.outcome !== undefined : found.code === 'not_found'
}

function isAskId(tag: string): tag is AskId {
  return tag.startsWith('ask_')
}
