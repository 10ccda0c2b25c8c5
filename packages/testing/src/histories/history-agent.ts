import { type DriverStart, isDetached } from '@holdpoint/core/driver'
import type { Session } from '@holdpoint/schema/session'
import type { SyntheticAgent } from '../synthetic-driver.ts'
import type { Delivery, RequestKey } from './history.ts'

/** What an agent asks for. */
export interface AgentCall {
  readonly requestId: string
  readonly input: { readonly command: string }
  /** Only the gateway where the agent runs can take a yes to it then. */
  readonly cwd?: string
}

/** What an agent needs of its gateway. */
interface AgentLine extends Pick<SyntheticAgent, 'ask'> {
  readonly start: Pick<DriverStart, 'epoch' | 'reattached'>
}

/**
 * An agent that outlives its gateway, as in its host: it asks again what it still waits for, and hears only the gateway that
 * came last.
 */
export function createHistoryAgent({ id: sessionId, node }: Pick<Session, 'id' | 'node'>, deliveries: Delivery[]) {
  const answered = new Set<string>()
  const refused = new Set<string>()
  const waiting = new Map<string, { readonly call: AgentCall; readonly cancelled: AbortController }>()
  let attached: AgentLine | undefined

  async function put(agent: AgentLine, requestId: string) {
    const waits = waiting.get(requestId)
    if (!waits) return
    const { call, cancelled } = waits
    const { epoch } = agent.start
    const { input, cwd } = call
    const context = cwd === undefined ? {} : { cwd }
    const request = { requestId, tool: { name: 'Bash', input }, title: input.command, context }
    const told = await agent
      .ask(request, cancelled.signal)
      .then(({ kind }): Delivery['kind'] | undefined => kind)
      .catch((error: unknown) => (isDetached(error) ? undefined : ('refused' as const)))
    if (told === undefined || attached !== agent) return
    waiting.delete(requestId)
    const heard = told === 'refused' ? refused : answered
    heard.add(requestId)
    deliveries.push({ sessionId, epoch, requestId, kind: told, input: JSON.stringify(call.input) })
  }

  return {
    sessionId,
    /** The gateway that it belongs to. */
    node,
    attach(agent: AgentLine) {
      // Found by two at once: it asks each gateway once.
      if (attached === agent) return
      attached = agent
      agent.start.reattached({ open: [...waiting.keys()], answered: [...answered] })
      for (const requestId of waiting.keys()) void put(agent, requestId)
    },
    ask(call: AgentCall) {
      waiting.set(call.requestId, { call, cancelled: new AbortController() })
      if (attached) void put(attached, call.requestId)
    },
    /** It does not want to know any more. */
    cancel: (requestId: string) => waiting.get(requestId)?.cancelled.abort(),
    /** Whether it was told what became of this call. */
    isTold: (requestId: string) => answered.has(requestId) || refused.has(requestId),
    waiting: (): readonly RequestKey[] => [...waiting.keys()].map((requestId) => ({ sessionId, epoch: 1, requestId })),
  }
}
export type HistoryAgent = ReturnType<typeof createHistoryAgent>
