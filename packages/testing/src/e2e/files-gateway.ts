import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InteractiveTool } from '@holdpoint/agents/claude/asks/interactive-tool'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { startGateway } from '@holdpoint/server/start-gateway'
import { createLog } from '@holdpoint/server/system/log'
import { apiClient, isSessionIn } from '../api-client.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { TEST_TOKEN } from '../test-gateway.ts'
import { until } from '../until.ts'

const inRepository = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const SERVER = inRepository('examples/interactive-tools/files-server.mjs')

/** The real Claude Code with the guide's MCP server, on a gateway in this process that has these interactive tools. */
export async function startFilesGateway(tools: readonly InteractiveTool[]) {
  const root = await mkdtemp(join(tmpdir(), 'hp-files-'))
  const home = join(root, 'home')
  const dataDir = join(root, 'data')
  await mkdir(join(home, '.claude'), { recursive: true })
  // The message says what the tool is called with.
  const model: DemoModel = await startDemoModel({
    script: (call) =>
      steps([use('mcp__files__pick_file', JSON.parse(/input:(\{.*?\})/.exec(call.lastUserText)?.[1] ?? '{}'))])(call),
  })
  const env = claudeEnvironment({ home, url: model.url })
  const logged: string[] = []
  let gateway = await start(tools)
  let count = 0
  let spare: Awaited<ReturnType<typeof session>> | undefined

  function start(interactive: readonly InteractiveTool[]) {
    const log = createLog({ level: 'warn', write: (line) => logged.push(line), now: Date.now })
    return startGateway({
      dataDir,
      host: '127.0.0.1',
      port: 0,
      token: TEST_TOKEN,
      idleMs: 3_600_000,
      limits: { connectionsPerBrowser: 32, connectionsPerToken: 2000 },
      log,
      hostMain: inRepository('dist/host.js'),
      environment: env,
      interactiveTools: interactive,
    })
  }

  const api = () => apiClient(gateway.url, TEST_TOKEN)

  const newMarker = () => `number ${++count} input:`

  /** A session whose agent calls the tool with this input, in a trusted folder with two files. */
  async function session(input: Record<string, unknown>, start: Record<string, unknown> = {}) {
    const marker = newMarker()
    const cwd = join(root, `project-${count}`)
    await mkdir(join(cwd, '.claude'), { recursive: true })
    await mkdir(join(cwd, 'notes'))
    await writeFile(join(cwd, '.claude', 'settings.json'), JSON.stringify({ enableAllProjectMcpServers: true }))
    const files = { command: process.execPath, args: [SERVER] }
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { files } }))
    await Promise.all(['monday.txt', 'tuesday.txt'].map((name) => writeFile(join(cwd, 'notes', name), '')))
    const body = { agent: 'claude', cwd, trust: true, prompt: marker + JSON.stringify(input), ...start }
    const { id, projectId } = await api().ok<Session>('POST', '/api/sessions', body)
    return inSession({ id, projectId, cwd, marker })
  }

  /** Speaks about one message to a session as a test wants to. */
  function inSession(at: Pick<Session, 'id' | 'projectId' | 'cwd'> & { readonly marker: string }) {
    const read = () => api().ok<Session>('GET', `/api/sessions/${at.id}`)
    const requests = () => model.requests.filter(({ messages }) => JSON.stringify(messages).includes(at.marker))
    return {
      ...at,
      read,
      requests,
      ask: (): Promise<Ask> =>
        until(async () => {
          const [found] = await api().openAsks(at.id)
          if (!found && (await isSessionIn(api(), at, 'dead')))
            throw new Error(`the session ended: ${JSON.stringify(await read())} ${logged.join('\n')}`)
          return found
        }, 'an ask'),
      /** Waits for the agent to have finished, and gives what its model was last told since the message. */
      async told(): Promise<string> {
        await until(() => isSessionIn(api(), at, 'user_turn'), 'the agent to be done')
        const messages = requests().at(-1)?.messages ?? []
        return JSON.stringify(
          messages.slice(messages.findIndex((message) => JSON.stringify(message).includes(at.marker))),
        )
      },
    }
  }

  return {
    home,
    logged,
    get gateway() {
      return gateway
    },
    get api() {
      return api()
    },
    session,
    /** The same in a session that is idle, where there is one: every start of an agent takes seconds. */
    async inIdleSession(input: Record<string, unknown>) {
      if (!spare || !(await isSessionIn(api(), spare, 'user_turn'))) {
        spare = await session(input)
        return spare
      }
      const again = inSession({ ...spare, marker: newMarker() })
      await api().ok('POST', `/api/sessions/${spare.id}/messages`, { text: again.marker + JSON.stringify(input) })
      await until(() => again.requests().length > 0, 'the turn to begin')
      return again
    },
    async restart(next = tools) {
      await gateway.close()
      gateway = await start(next)
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      const host = await connectHost({ dataDir, hostMain: '' }).catch(() => undefined)
      await host?.shutdown()
      await model.close()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
export type FilesGateway = Awaited<ReturnType<typeof startFilesGateway>>
