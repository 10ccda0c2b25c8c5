import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import { ApiError } from './api.ts'
import type { Asker } from './asker.ts'
import { failureWords } from './failure-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { notRaiserWords } from './raiser-api.ts'

/** Clients give up on a call that they hear nothing of. */
const PROGRESS_MS = 15_000

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

export interface ToolDeps {
  readonly asker: Asker
  readonly flags: AddressFlags
}

/** Tells the client that a person is waited for, as long as `act` takes, if it wants to hear that. */
export async function withProgress<Value>(
  { _meta, sendNotification }: Extra,
  act: () => Promise<Value>,
): Promise<Value> {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return act()
  let progress = 0
  const timer = setInterval(() => {
    const params = { progressToken, progress: ++progress, message: 'Waiting for a person' }
    sendNotification({ method: 'notifications/progress', params }).catch(() => {})
  }, PROGRESS_MS)
  try {
    return await act()
  } finally {
    clearInterval(timer)
  }
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

/** What the agent reads of something that went wrong. */
export function faultWords(error: unknown, flags: AddressFlags): string {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return notRaiserWords(flags)
  if (error instanceof ApiError && error.code === 'session_ended')
    return 'A person has ended this session in Holdpoint: nobody can be asked any more.'
  return failureWords(error).words
}
