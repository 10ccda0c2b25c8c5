import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session, SessionState } from '@holdpoint/schema/session'

export interface ApiReply<Body = unknown> {
  readonly status: number
  readonly body: Body
  readonly headers: Headers
}

/** The native API as a program uses it. */
export function apiClient(url: string, token?: string) {
  async function call<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiReply<Body>> {
    const reply = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json') && text !== ''
    return { status: reply.status, headers: reply.headers, body: (isJson ? JSON.parse(text) : text) as Body }
  }

  return {
    url,
    call,
    /** Throws unless the call succeeds. */
    async ok<Body>(method: string, path: string, body?: unknown): Promise<Body> {
      const reply = await call<Body>(method, path, body)
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
      return reply.body
    },
    async openAsks(sessionId?: SessionId): Promise<Ask[]> {
      const found: Ask[] = []
      for (let next: string | undefined; ; ) {
        const query = new URLSearchParams({ ...(sessionId && { sessionId }), ...(next !== undefined && { next }) })
        const page = await this.ok<{ asks: Ask[]; next?: string }>('GET', `/api/asks?${query}`)
        found.push(...page.asks)
        next = page.next
        if (next === undefined) return found
      }
    },
    answer: (ask: Pick<Ask, 'id' | 'digest'>, answer: Record<string, unknown>, headers: Record<string, string> = {}) =>
      call<{ outcome?: unknown; error?: { code: string; [detail: string]: unknown } }>(
        'POST',
        `/api/asks/${ask.id}/answer`,
        { digest: ask.digest, ...answer },
        headers,
      ),
  }
}
export type ApiClient = ReturnType<typeof apiClient>

/**
 * For whoever waits. A session that is read comes with the memory of its agent, for which the host reads every process of
 * the machine; a list that it is not in costs nothing.
 */
export async function isSessionIn(
  api: ApiClient,
  { id, projectId }: Pick<Session, 'id' | 'projectId'>,
  state: SessionState,
): Promise<boolean> {
  const query = new URLSearchParams({ state, project: projectId })
  const { sessions } = await api.ok<{ sessions: Session[] }>('GET', `/api/sessions?${query}`)
  return sessions.some((session) => session.id === id)
}
