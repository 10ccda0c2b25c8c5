import { WebSocket } from 'ws'

/** The gateway said no. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  constructor(status: number, body: unknown) {
    const {
      code = 'unknown',
      message,
      ...details
    } = ((body as { error?: object } | undefined)?.error ?? {}) as {
      code?: string
      message?: string
    }
    super(message ?? `The gateway answered with status ${status}.`)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
  }
}

/** There is no gateway at the address, or it went away in the middle. */
export class UnreachableError extends Error {
  readonly code: string
  readonly url: string
  constructor(url: string, cause: unknown) {
    super(`nothing answers at ${url}`, { cause })
    this.name = 'UnreachableError'
    this.url = url
    // What fetch throws says nothing; the reason is one level down, and an address with two families has it in a list.
    const { code, errors } = ((cause as Error).cause ?? cause) as { code?: string; errors?: { code?: string }[] }
    this.code = code ?? errors?.[0]?.code ?? 'unknown'
  }
}

/** The native API. A status of 400 or more throws an `ApiError`. */
export interface Api {
  readonly url: string
  /** The same credential at another address: a gateway that was started again may have moved. */
  at(url: string): Api
  call<Body>(method: string, path: string, body?: unknown): Promise<Body>
  /** Opens a stream of server-sent events. Aborting closes it. */
  stream(path: string, options: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>
  /** Opens a WebSocket with the same credential. */
  socket(path: string): WebSocket
}

export function createApi(url: string, token?: string): Api {
  const credential: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function send(path: string, request: RequestInit): Promise<Response> {
    const headers = { ...credential, 'x-holdpoint': 'terminal', ...(request.headers as Record<string, string>) }
    let response: Response
    try {
      response = await fetch(url + path, { ...request, headers, redirect: 'error' })
    } catch (error) {
      if (request.signal?.aborted) throw error
      throw new UnreachableError(url, error)
    }
    if (response.status >= 400) throw new ApiError(response.status, await response.json().catch(() => undefined))
    return response
  }

  return {
    url,
    at: (other) => createApi(other, token),
    async call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
      const json =
        body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await send(path, { method, ...json })
      return (response.status === 204 ? undefined : await response.json()) as Body
    },
    socket: (path) =>
      new WebSocket(url.replace(/^http/, 'ws') + path, { headers: credential, handshakeTimeout: 10_000 }),
    stream: (path, options) => send(path, { ...options, headers: { accept: 'text/event-stream', ...options.headers } }),
  }
}
