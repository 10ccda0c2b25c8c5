import { paths } from '@holdpoint/schema/paths'
import { callOf } from './endpoint-call.ts'
import { TransportFault, type Wire } from './transport.ts'

/**
 * The path of something that a browser opens without headers, an EventSource or a WebSocket, with a ticket in it. It is
 * good once and for ten seconds: a new one is needed for every try. Throws a `TransportFault`.
 */
export async function ticketed(wire: Pick<Wire, 'call'>, path: string, signal?: AbortSignal): Promise<string> {
  const [pathname = ''] = path.split('?')
  const body = { path: pathname }
  const reply = await wire.call({ ...callOf(paths.account.ticket, { body }), ...(signal && { signal }) })
  const { ticket } = (reply.body ?? {}) as { readonly ticket?: unknown }
  if (reply.status === 201 && typeof ticket === 'string') {
    return `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`
  }
  const code = reply.status === 401 ? 'unauthorized' : 'refused'
  throw new TransportFault(code, `${pathname}: the gateway gave no ticket (${reply.status})`)
}
