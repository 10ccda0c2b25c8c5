import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import type { AgentRun } from '@holdpoint/core/driver'
import type { Store } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import type { Grant } from '@holdpoint/server/auth/devices'
import { recordsOfNode } from '@holdpoint/server/cluster/node-records'
import { createGateway, type GatewayOptions } from '@holdpoint/server/gateway'
import type { ListenOptions } from '@holdpoint/server/gateway-server'
import { cursorOf } from '@holdpoint/server/stream/cursor'
import { createLog } from '@holdpoint/server/system/log'
import { systemClock } from '@holdpoint/server/system/system-clock'
import { apiClient } from './api-client.ts'
import { createSyntheticDriver, type SyntheticAgent } from './synthetic-driver.ts'
import { createSyntheticTerminals } from './synthetic-terminals.ts'
import { openTestNode } from './test-store.ts'

const OPEN_DEADLINE_MS = 20_000
export const TEST_TOKEN = 'a-token-for-tests-0123456789abcdef0123456789'

/** A real gateway on a real socket, with synthetic agents and terminals and, unless told otherwise, a store of {@link openTestNode} and no web app. */
export async function startTestGateway(
  options: Partial<GatewayOptions & ListenOptions> & {
    store?: Store
    /** What its synthetic agents say about an answer. */
    recheck?: AgentRun['recheck']
    /** What its synthetic agents say that they offer. */
    offers?: AgentRun['offers']
    /** Called when the gateway listens and has not taken up any agent yet. */
    beforeResume?: (url: string) => Promise<void>
  } = {},
) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'holdpoint-test-')))
  const synthetic = createSyntheticDriver('synthetic', {
    ...(options.recheck && { recheck: options.recheck }),
    ...(options.offers && { offers: options.offers }),
  })
  const terminals = createSyntheticTerminals()
  // With a store of the test's own, whatever else belongs to it is in the options, too.
  const node = options.store ? { store: options.store } : await openTestNode()
  const { store, clock = systemClock, cluster } = { ...node, ...options }
  const logged: string[] = []
  const created = await createGateway({
    token: TEST_TOKEN,
    idleMs: 3_600_000,
    limits: { connectionsPerBrowser: 32, connectionsPerToken: 2000 },
    log: createLog({ level: 'info', write: (line) => logged.push(line), now: Date.now }),
    drivers: () => [synthetic.driver, terminals.driver],
    hosted: terminals.hosted,
    terminals: {
      attached: createAttachedAgents({ records: recordsOfNode(store.records, cluster), clock, warn: () => {} }),
      projects: join(dataDir, 'projects'),
    },
    ...node,
    ...options,
    store,
    dataDir,
  })
  const url = await created.listen({ host: '127.0.0.1', port: 0, ...options })
  await options.beforeResume?.(url)
  created.resume()
  const gateway = { ...created, url }
  const api = apiClient(gateway.url, TEST_TOKEN)

  return {
    gateway,
    store,
    api,
    logged,
    synthetic,
    terminals,
    dataDir,
    /** A credential of its own, with its client. `headers` are what a request needs to carry it. */
    async credential(grant: Grant, kind: 'browser' | 'bearer' = 'bearer') {
      const { device, secret } = await gateway.devices.add(grant, { name: `${grant.role} for tests`, kind })
      const headers: Record<string, string> =
        kind === 'bearer' ? { authorization: `Bearer ${secret}` } : { 'x-holdpoint-secret': secret }
      return { device, secret, headers, api: apiClient(gateway.url, kind === 'bearer' ? secret : undefined) }
    },
    /** How many events the log has. */
    events: () => store.lastSeq(),
    /** How clients name a place in the log. */
    cursorAt: async (seq: number) => cursorOf(seq, await store.hashAt(seq)),
    /** A session with its agent, waiting for a message. */
    async session(start: Record<string, unknown> = {}): Promise<{ session: Session; agent: SyntheticAgent }> {
      const session = await api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: dataDir, ...start })
      return { session, agent: await synthetic.agentOf(session.id) }
    },
    /** A session with a terminal that keeps what is typed into it. */
    terminal: () => api.ok<Session>('POST', '/api/terminals', { command: 'cat', cwd: dataDir, cols: 80, rows: 24 }),
    /** Raises an ask and gives it back once it is open. */
    async openAsk(
      agent: SyntheticAgent,
      request: Parameters<SyntheticAgent['ask']>[0] = {},
    ): Promise<{ ask: Ask; outcome: ReturnType<SyntheticAgent['ask']> }> {
      const before = new Set((await api.openAsks(agent.start.sessionId)).map((ask) => ask.id))
      let refused: unknown
      const outcome = agent.ask(request)
      outcome.catch((error: unknown) => {
        refused = error
      })
      const deadline = performance.now() + OPEN_DEADLINE_MS
      while (performance.now() < deadline && !refused) {
        const ask = (await api.openAsks(agent.start.sessionId)).find((candidate) => !before.has(candidate.id))
        // A list leaves out what is large.
        if (ask) return { ask: ask.omitted ? await api.ok<Ask>('GET', `/api/asks/${ask.id}`) : ask, outcome }
      }
      throw new Error('the ask did not open', { cause: refused })
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true })
    },
  }
}
export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>
