import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { type ContractAgent, type ContractWorld, transportContract } from '@holdpoint/testing/transport-contract'
import { until } from '@holdpoint/testing/until'
import { hook, startEmbedding } from './fixtures/embedding.ts'
import type { AttachedQuery, PersonMessage } from './holdpoint.ts'

/** `holdpoint.transport()`, with an agent of the program that takes messages. */
async function openEmbedding(): Promise<ContractWorld> {
  const embedding = await startEmbedding()
  return {
    transport: embedding.holdpoint.transport(),
    async session({ prompt, askTimeoutMs } = {}) {
      const messages: PersonMessage[] = []
      let interrupts = 0
      const onMessage = (message: PersonMessage) => void messages.push(message)
      const session = embedding.holdpoint.session({
        cwd: embedding.cwd,
        onMessage,
        ...(askTimeoutMs !== undefined && { askTimeoutMs }),
      })
      const query: AttachedQuery = {
        interrupt: async () => {
          interrupts++
        },
        close: () => {},
        setPermissionMode: async () => {},
        setModel: async () => {},
      }
      session.attach(query)
      const comesTo = (state: Session['state']) =>
        until(async () => (await embedding.read(session)).state === state, state)
      await comesTo('user_turn')
      if (prompt !== undefined) {
        await hook(session, 'UserPromptSubmit', { prompt })
        await comesTo('assistant_turn')
      }
      let said = 0
      const agent: ContractAgent = {
        messages,
        interrupts: () => interrupts,
        say: (text) =>
          hook(session, 'MessageDisplay', { message_id: `m${++said}`, delta: text, final: true, turn_id: 't' }),
        endTurn: () => hook(session, 'Stop'),
        async ask({ toolUseId, name, input }) {
          const { signal } = new AbortController()
          await session.canUseTool(name, input, { signal, toolUseID: toolUseId, requestId: toolUseId })
          const [settled] = await asks(session.id, 'settled')
          if (!settled?.outcome) throw new Error('the ask has no outcome')
          return settled.outcome
        },
      }
      return { id: session.id, agent }
    },
    openAsks: (sessionId) => asks(sessionId, 'open'),
    answer: embedding.answer,
    [Symbol.asyncDispose]: () => embedding[Symbol.asyncDispose](),
  }

  async function asks(sessionId: SessionId, status: 'open' | 'settled') {
    const reply = await embedding.call<{ asks: Awaited<ReturnType<ContractWorld['openAsks']>> }>(
      'GET',
      `/api/asks?status=${status}&sessionId=${sessionId}&limit=1000`,
    )
    return reply.body.asks
  }
}

transportContract('embedded', openEmbedding)
