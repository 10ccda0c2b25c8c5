import type { Cluster } from '@holdpoint/core/cluster'
import type { Sessions } from '@holdpoint/core/sessions'
import type { DirectEndpoint } from '@holdpoint/schema/direct-endpoint'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Surface } from '../auth/guard.ts'
import { NodeCall } from '../cluster/node-call.ts'
import { type Reply, refusal, storeRefusal } from '../transport/errors.ts'
import { type AnsweringDeps, answerHere } from './answering.ts'

type NoticeAnswer = Extract<NodeCall, { type: 'notice-answer' }>

interface ServeDeps extends Pick<AnsweringDeps, 'broker' | 'devices'> {
  readonly cluster: Cluster
  /** Those of this machine. */
  readonly sessions: Sessions
  readonly direct: (device: DeviceId, surface: Surface) => DirectEndpoint
  /** What came back from notices of this gateway. */
  readonly notices: {
    answer(given: Omit<NoticeAnswer, 'type'>): Promise<Reply>
    shown(token: string, to: NoticeAnswer['to']): boolean
  }
}

/** Does for other gateways what only this machine can. */
export function serveNodeCalls(deps: ServeDeps): void {
  const { cluster, sessions, devices, notices } = deps

  async function serve(call: NodeCall, signal: AbortSignal): Promise<unknown> {
    switch (call.type) {
      case 'answer': {
        const device = devices.current(call.device)
        if (!device) return refusal('unauthorized')
        const { type: _, ...answer } = call
        return answerHere(deps, { ...answer, device }).catch(storeRefusal)
      }
      case 'notice-answer': {
        const { type: _, ...given } = call
        return notices.answer(given).catch(storeRefusal)
      }
      case 'notice-shown':
        return notices.shown(call.token, call.to)
      case 'memory':
        return sessions.memoryBytes(call.session)
      case 'route': {
        const { device, surface, method, path, body, idempotencyKey } = call
        const hasBody = body !== undefined
        const { status, body: text } = await deps.direct(device, surface).call({
          method,
          path,
          ...(hasBody && { contentType: 'application/json', body: Buffer.from(JSON.stringify(body)) }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
          signal,
        })
        return { status, ...(text !== undefined && { body: JSON.parse(text) }) }
      }
    }
  }

  cluster.serve(async (body, { signal }) => {
    const call = NodeCall.parse(JSON.parse(body))
    // A device that has just logged in at the other gateway may not have been heard of here yet.
    if ('device' in call && !devices.current(call.device)) await devices.refresh(call.device)
    return JSON.stringify((await serve(call, signal)) ?? null)
  })
}
