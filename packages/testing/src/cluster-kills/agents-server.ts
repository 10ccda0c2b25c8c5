import { type AddressInfo, createServer, type Socket } from 'node:net'
import { DriverError } from '@holdpoint/core/driver'
import type { SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Delivery } from '../histories/history.ts'
import { createHistoryAgent, type HistoryAgent } from '../histories/history-agent.ts'
import { askRequest } from '../synthetic-driver.ts'
import { type FromAgent, type FromGateway, onLines, sendLine } from './lines.ts'

/** The agents of all machines, in this process. Each hears only the newest life of its gateway. */
export async function startAgents(deliveries: Delivery[]) {
  const agents = new Map<SessionId, HistoryAgent>()
  const sockets = new Map<SessionId, Socket>()
  const newest = new Map<SessionId, number>()

  function attach(socket: Socket, { sessionId, epoch, node, life }: Extract<FromGateway, { type: 'hello' }>) {
    // A gateway that was stopped while it started comes after its next life, and ends soon: nobody would be heard then.
    if (life < (newest.get(sessionId) ?? 0)) {
      socket.destroy()
      return
    }
    newest.set(sessionId, life)
    // What the gateway before may still say is not heard.
    sockets.get(sessionId)?.destroy()
    sockets.set(sessionId, socket)
    const known = agents.get(sessionId)
    const agent = known ?? createHistoryAgent({ id: sessionId, node }, deliveries)
    agents.set(sessionId, agent)
    const send = (line: FromAgent) => sendLine(socket, line)
    const waiting = new Map<string, { told(outcome: Outcome): void; failed(error: Error): void }>()
    socket.once('close', () => {
      for (const { failed } of waiting.values()) failed(new DriverError('detached', 'the gateway is gone'))
    })
    agent.attach({
      start: {
        epoch,
        reattached: (requests) => known && send({ type: 'reattached', ...requests }),
      },
      ask: (request = {}, signal) =>
        new Promise((told, failed) => {
          const asked = askRequest(request)
          const { requestId } = asked
          waiting.set(requestId, { told, failed })
          send({ type: 'ask', request: asked })
          const cancel = () => send({ type: 'cancel', requestId })
          if (signal?.aborted) cancel()
          else signal?.addEventListener('abort', cancel, { once: true })
        }),
    })
    return (line: FromGateway) => {
      if (line.type === 'hello') throw new Error('a gateway says hello once')
      const asked = waiting.get(line.requestId)
      // Told twice over one line: the history has both.
      if (!asked) return void deliveries.push(strayOf(line))
      waiting.delete(line.requestId)
      if (line.type === 'refused') return asked.failed(new Error(line.why))
      asked.told(line.outcome)
      send({ type: 'taken', requestId: line.requestId })
    }

    function strayOf(line: Exclude<FromGateway, { type: 'hello' }>): Delivery {
      const kind = line.type === 'told' ? line.outcome.kind : 'refused'
      return { sessionId, epoch, requestId: line.requestId, kind, input: '' }
    }
  }

  const server = createServer((socket) => {
    let take: ((line: FromGateway) => void) | undefined
    onLines<FromGateway>(socket, (line) => {
      if (take) take(line)
      else if (line.type === 'hello') take = attach(socket, line)
    })
  })
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))

  return {
    port: (server.address() as AddressInfo).port,
    agents: agents as ReadonlyMap<SessionId, HistoryAgent>,
    close() {
      for (const socket of sockets.values()) socket.destroy()
      server.close()
    },
  }
}
