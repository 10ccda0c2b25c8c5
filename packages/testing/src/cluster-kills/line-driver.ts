import { once } from 'node:events'
import { connect } from 'node:net'
import { type AgentDriver, type AgentEnd, isDetached } from '@holdpoint/core/driver'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { NodeId } from '@holdpoint/schema/id'
import { type FromAgent, type FromGateway, onLines, sendLine } from './lines.ts'

/** Drives agents at the other end of a socket. They outlive this gateway. */
export function createLineDriver(options: {
  readonly port: number
  readonly node: NodeId
  readonly life: number
}): AgentDriver {
  const { port, node, life } = options
  return {
    agent: 'synthetic',
    async start(start) {
      const { sessionId, epoch } = start
      const socket = connect({ host: '127.0.0.1', port })
      const asking = new Map<string, AbortController>()
      let finish = (_how: AgentEnd | 'detached') => {}
      const done = new Promise<AgentEnd | 'detached'>((resolve) => {
        finish = resolve
      })
      const send = (line: FromGateway) => sendLine(socket, line)
      onLines<FromAgent>(socket, (line) => {
        if (line.type === 'reattached') start.reattached(line)
        if (line.type === 'ask') void put(line.request)
        if (line.type === 'cancel') asking.get(line.requestId)?.abort()
        if (line.type === 'taken') start.delivered([line.requestId])
      })
      // Another gateway has this agent now.
      socket.once('close', () => finish('detached'))
      await once(socket, 'connect')
      send({ type: 'hello', sessionId, epoch, node, life })
      queueMicrotask(() => void start.emit([{ type: 'ready' }]).catch(() => {}))

      async function put(request: AskRequest) {
        const { requestId } = request
        const cancelled = new AbortController()
        asking.set(requestId, cancelled)
        try {
          send({ type: 'told', requestId, outcome: await start.ask(request, { signal: cancelled.signal }) })
        } catch (error) {
          if (!isDetached(error)) send({ type: 'refused', requestId, why: String(error) })
        }
      }

      return {
        async stop() {
          finish({ reason: 'stopped' })
          socket.end()
        },
        async detach() {
          finish('detached')
          socket.destroy()
        },
        done,
      }
    },
  }
}
