import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InteractiveTool } from '@holdpoint/agents/claude/interactive-tool'
import { connectHost } from '@holdpoint/agents/host/host-client'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { createLog } from '@holdpoint/server/log'
import { startGateway } from '@holdpoint/server/start-gateway'
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
      steps([use('mcp__files__pick_file', JSON.parse(/input:(\{.*?\})/.exec(call.firstUserText)?.[1] ?? '{}'))])(call),
  })
  const env = claudeEnvironment({ home, url: model.url })
  const logged: string[] = []
  let gateway = await start(tools)
  let count = 0

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

  return {
    home,
    logged,
    get gateway() {
      return gateway
    },
    get api() {
      return api()
    },
    /** A session whose agent calls the tool with this input, in a trusted folder with two files. */
    async session(input: Record<string, unknown>, start: Record<string, unknown> = {}) {
      const cwd = join(root, `project-${++count}`)
      await mkdir(join(cwd, '.claude'), { recursive: true })
      await mkdir(join(cwd, 'notes'))
      await writeFile(join(cwd, '.claude', 'settings.json'), JSON.stringify({ enableAllProjectMcpServers: true }))
      const files = { command: process.execPath, args: [SERVER] }
      await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { files } }))
      await Promise.all(['monday.txt', 'tuesday.txt'].map((name) => writeFile(join(cwd, 'notes', name), '')))
      const marker = `number ${count}`
      const prompt = `${marker} input:${JSON.stringify(input)}`
      const body = { agent: 'claude', cwd, trust: true, prompt, ...start }
      const { id, projectId } = await api().ok<Session>('POST', '/api/sessions', body)
      const read = () => api().ok<Session>('GET', `/api/sessions/${id}`)
      return {
        id,
        cwd,
        read,
        ask: (): Promise<Ask> =>
          until(async () => {
            const [found] = await api().openAsks(id)
            if (!found && (await isSessionIn(api(), { id, projectId }, 'dead')))
              throw new Error(`the session ended: ${JSON.stringify(await read())} ${logged.join('\n')}`)
            return found
          }, 'an ask'),
        /** Waits for the agent to have finished, and gives what its model was last told. */
        async told(): Promise<string> {
          await until(() => isSessionIn(api(), { id, projectId }, 'user_turn'), 'the agent to be done')
          const calls = model.requests.filter(({ messages }) => JSON.stringify(messages).includes(marker))
          return JSON.stringify(calls.at(-1)?.messages)
        },
      }
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
