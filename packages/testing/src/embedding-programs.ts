import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import type { Script } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { claudeEnvironment, gone } from './real-claude.ts'
import { until } from './until.ts'

/** Programs with Holdpoint and the real Claude Code in them, on one script, in one home and one project folder. */
export async function createPrograms(options: { app: string; script: Script }) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hp-program-')))
  const home = join(root, 'home')
  const cwd = join(root, 'project')
  for (const folder of [home, cwd]) mkdirSync(folder)
  const model = await startDemoModel({ script: options.script })
  const children: ChildProcess[] = []

  async function start(name: string, args: readonly string[]) {
    const child = spawn(process.execPath, [join(options.app, name), ...args], {
      cwd,
      env: claudeEnvironment({ home, url: model.url }),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
    const link = () =>
      until(() => {
        if (child.exitCode !== null) throw new Error(`the program ended: ${output}`)
        return /Answer here: (\S+)\n/.exec(output)?.[1]
      }, 'the link')

    return {
      pid: child.pid,
      exited,
      output: () => output,
      link,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      type: (text: string) => child.stdin.write(text),
      /** Logs in with the program's link, as a browser does. */
      async api() {
        const [url = '', code] = (await link()).split(/\/login\/[\w-]+#login=/)
        const login = await fetch(`${url}/api/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ code }),
        })
        const { secret } = (await login.json()) as { secret: string }
        const page = { 'x-holdpoint-secret': secret }
        const get = async <Body>(path: string) => (await fetch(url + path, { headers: page })).json() as Body
        return {
          get,
          /** The open asks, as soon as there are so many. */
          asks: (count: number) =>
            until(async () => {
              const { asks } = await get<{ asks: Ask[] }>('/api/asks?status=open')
              return asks.length >= count && asks
            }, 'open asks'),
          /** The status of the reply. */
          async answer(ask: Ask, answer: Record<string, unknown>) {
            const reply = await fetch(`${url}/api/asks/${ask.id}/answer`, {
              method: 'POST',
              headers: { ...page, 'content-type': 'application/json' },
              body: JSON.stringify({ digest: ask.digest, ...answer }),
            })
            return reply.status
          },
        }
      },
    }
  }

  return {
    model,
    start,
    /** What a file in the project folder holds. */
    file(name: string): string | undefined {
      try {
        return readFileSync(join(cwd, name), 'utf8')
      } catch {
        return undefined
      }
    },
    /** What a program that has ended has left in its data folder, oldest ask first. */
    async record(data: string) {
      const store = await openSqliteStore({ path: join(home, data, 'holdpoint.db') })
      try {
        const asks = [...(await store.asks({ status: 'all', limit: 100 }))]
        asks.sort((a, b) => a.ask.raisedAt - b.ask.raisedAt)
        const alive = (await store.liveSessions()).map(({ session }) => session)
        const { sessions: ended } = await store.endedSessions({ limit: 100 })
        return { sessions: [...alive, ...ended], asks, chain: await store.verify() }
      } finally {
        await store.close()
      }
    },
    async close() {
      for (const child of children) {
        child.kill('SIGKILL')
        await gone(child)
      }
      await model.close()
      await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
    },
  }
}
