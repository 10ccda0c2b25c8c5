import { request } from 'node:http'
import { HOOK_HOST, HOOK_PATH, hookSocket, readToken } from '@holdpoint/agents/claude/hooks/hook-access'

export interface HooksCall {
  readonly method?: string
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Instead of what a hook sends. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** One call on the socket of a gateway's hooks, with their credential. */
export function callHooks(dataDir: string, call: HooksCall): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        socketPath: hookSocket(dataDir),
        method: call.method ?? 'POST',
        path: `${call.path ?? HOOK_PATH}?${new URLSearchParams(call.query)}`,
        agent: false,
        headers: {
          host: HOOK_HOST,
          authorization: `Bearer ${readToken(dataDir)}`,
          'content-type': 'application/json',
          ...call.headers,
        },
        ...(call.signal && { signal: call.signal }),
      },
      async (response) => {
        let text = ''
        for await (const chunk of response.setEncoding('utf8')) text += chunk
        resolve({ status: response.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) })
      },
    )
    sending.on('error', reject)
    sending.end(call.body === undefined ? undefined : JSON.stringify(call.body))
  })
}
