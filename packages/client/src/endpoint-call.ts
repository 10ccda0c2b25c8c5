import type { CallInput, EndpointPath } from '@holdpoint/schema/endpoints/endpoints'
import type { Call } from './transport.ts'

/** The call that reaches an endpoint, by its entry in `paths`. */
export function callOf<At extends EndpointPath>(place: At, given: CallInput<At>): Call {
  const { params, query, body }: AnyGiven = given
  const { method, path } = addressOf(place, params)
  return { method, path: path + searchOf(query), ...(body !== undefined && { body }) }
}

interface AnyGiven {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: unknown
  readonly body?: unknown
}

/** An entry of `paths` with its parameters filled in. */
export function addressOf({ method, path }: EndpointPath, params: AnyGiven['params']): Pick<Call, 'method' | 'path'> {
  return { method, path: path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? '')) }
}

/** Lists are separated by commas, which stay readable. */
function searchOf(query: unknown): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`).join('&')}`
}
