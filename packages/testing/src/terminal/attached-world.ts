import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import type { Script } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { eventsIn, openEventSource } from '../event-source.ts'
import { type GatewayProcess, PROCESS_TOKEN, startGatewayProcess } from '../gateway-process.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'
import { type ClaudeTuiOptions, prompt, type ScreenTerminal, startClaudeTui } from './claude-tui.ts'

const CLI = fileURLToPath(new URL('../../../../dist/cli.js', import.meta.url))
/** A key that comes with the dialog itself is meant for what was there before: Claude Code leaves it. */
const ARMED_MS = 700

/**
 * The real Claude Code in a terminal, attached by the real command to a real gateway, on a script. What the demo model
 * says is the same in every conversation.
 */
export async function startAttachedWorld(
  script: Script,
  options: { readonly settings?: Readonly<Record<string, unknown>>; readonly attach?: readonly string[] } = {},
) {
  const root = await mkdtemp(join(tmpdir(), 'hp-attached-'))
  const [home, cwd, dataDir] = [join(root, 'home'), join(root, 'project'), join(root, 'data')]
  await Promise.all([mkdir(home), mkdir(cwd)])
  const model = await startDemoModel({ script })
  const env = claudeEnvironment({ home, url: model.url })
  let gateway: GatewayProcess = await startGatewayProcess({ dataDir, env })
  const command = (name: string, args: readonly string[] = []) =>
    promisify(execFile)(process.execPath, [CLI, name, '--yes', '--data', dataDir, ...args], { env })
  if (options.settings) {
    await mkdir(join(home, '.claude'), { recursive: true })
    await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(options.settings))
  }
  const attached = await command('attach', options.attach)
  const terminals: ScreenTerminal[] = []

  return {
    root,
    home,
    cwd,
    dataDir,
    model,
    command,
    /** What the command that attached it said. */
    attached: attached.stderr,
    get gateway() {
      return gateway
    },
    get api() {
      return gateway.api
    },
    async terminal(options: Partial<ClaudeTuiOptions> = {}) {
      const terminal = await startClaudeTui({ env, cwd, ...options })
      terminals.push(terminal)
      return terminal
    },
    prompt,
    /** The one session whose agent runs in a terminal, as soon as it is there. */
    session: (fits: (session: Session) => boolean = () => true): Promise<Session> =>
      until(async () => {
        const { sessions } = await gateway.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
        return sessions.find((session) => session.attached && fits(session))
      }, 'an attached session'),
    read: (id: SessionId) => gateway.api.ok<Session>('GET', `/api/sessions/${id}`),
    /** The next open ask that fits. */
    ask: (fits: (ask: Ask) => boolean = () => true): Promise<Ask> =>
      until(async () => (await gateway.api.openAsks()).find(fits), 'an ask'),
    /** The ask once it has its outcome. */
    settled: (id: string): Promise<Ask & { outcome: NonNullable<Ask['outcome']> }> =>
      until(async () => {
        const ask = await gateway.api.ok<Ask>('GET', `/api/asks/${id}`)
        return ask.outcome && { ...ask, outcome: ask.outcome }
      }, 'an outcome'),
    answer: (ask: Ask, answer: Record<string, unknown>) => gateway.api.answer(ask, answer),
    items: async (id: SessionId) =>
      (await gateway.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items?limit=500`)).items,
    /** Asks with an outcome that nobody has seen the agent take. */
    async undelivered(id: SessionId): Promise<string[]> {
      const from = `${gateway.url}/api/events?sessionId=${id}&after=0`
      const stream = await openEventSource(from, { authorization: `Bearer ${PROCESS_TOKEN}` })
      await until(() => stream.text().includes('"ask-settled"'), 'the log')
      stream.close()
      const events = eventsIn(stream.text()).map(({ data }) => JSON.parse(data) as DurableEvent)
      const settled = events.flatMap((event) =>
        event.type === 'ask-settled' && event.outcome.kind !== 'withdrawn' ? [event.askId] : [],
      )
      const delivered = new Set(events.flatMap((event) => (event.type === 'ask-delivered' ? [event.askId] : [])))
      return settled.filter((askId) => !delivered.has(askId))
    },
    exists: (name: string) =>
      access(join(cwd, name)).then(
        () => true,
        () => false,
      ),
    armed: () => new Promise((resolve) => setTimeout(resolve, ARMED_MS)),
    /** Types into a dialog as a person does, who has seen it first. */
    async press(terminal: ScreenTerminal, wanted: string | RegExp, keys: string) {
      await terminal.waitFor(wanted)
      await this.armed()
      for (const key of keys) {
        terminal.type(key)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    /** What the model was last told. */
    told: () => JSON.stringify(model.requests.at(-1)?.messages),
    stopGateway: () => gateway.stop(),
    killGateway: () => gateway.kill9(),
    async startGateway() {
      gateway = await startGatewayProcess({ dataDir, env })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(terminals.map((terminal) => terminal.close()))
      await gateway.stop()
      // Only where something was hosted as well.
      if (existsSync(join(dataDir, 'host.sock'))) await (await connectHost({ dataDir, hostMain: '' })).shutdown()
      await model.close()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
export type AttachedWorld = Awaited<ReturnType<typeof startAttachedWorld>>
