import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import {
  type CanUseTool,
  type Options,
  type PermissionResult,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  type SpawnOptions,
} from '@anthropic-ai/claude-agent-sdk'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import type { Script } from '@holdpoint/demo-model/script'

/** An ask as the SDK handed it over. */
export interface SeenAsk {
  readonly name: string
  readonly input: Record<string, unknown>
  readonly context: Parameters<CanUseTool>[2]
}

export interface Folders {
  readonly home: string
  readonly cwd: string
}

export interface RealClaudeOptions {
  readonly script: Script
  /** Allows when absent. */
  readonly answer?: (ask: SeenAsk) => PermissionResult | Promise<PermissionResult>
  /** The first message; `null` sends none. */
  readonly prompt?: string | null
  /** Runs before the agent starts. */
  readonly prepare?: (folders: Folders) => Promise<void>
  readonly env?: Record<string, string>
  /** Of an earlier run, to resume it; they stay when this run is disposed. Fresh ones when absent. */
  readonly folders?: Folders
  /** Added to cwd, env and canUseTool; nothing else is set. */
  readonly options?: Options
}

/** The real Claude Code on a script, in folders of its own, through the plain SDK. For tests. */
export interface RealClaude extends Folders, AsyncDisposable {
  readonly model: DemoModel
  readonly query: Query
  readonly asks: readonly SeenAsk[]
  readonly messages: readonly SDKMessage[]
  /** Every line the agent wrote, the control lines included. */
  readonly lines: readonly Record<string, unknown>[]
  /** The process itself; there once the SDK has started it. */
  child(): ChildProcess
  send(text: string, uuid?: SDKUserMessage['uuid']): void
  endInput(): void
  /** The nth result, 1 being the first. Rejects when the agent ends before. */
  result(nth?: number): Promise<SDKResultMessage>
  /** Waits until `probe` gives something other than undefined; asked again on every message, line and ask. */
  until<T>(probe: () => T | undefined, what?: string): Promise<T>
  /** The text and error flag of a tool's result. */
  toolResults(): readonly { readonly id: string; readonly text: string; readonly isError: boolean }[]
  files(): Promise<readonly string[]>
  /** Settles when the SDK's iterator ends; the value is what it threw. */
  readonly ended: Promise<unknown>
}

const DEADLINE_MS = 50_000

/** How a session has to be started for its asks to reach us; see the canary suite for what happens otherwise. */
export const launch: Options = { settingSources: [], strictMcpConfig: true, permissionMode: 'default' }

/** Makes every call ask, in subagents too. */
export const askForAll: Options['hooks'] = {
  PreToolUse: [
    {
      hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } })],
      onFailure: 'block',
    },
  ],
}

export async function startRealClaude(options: RealClaudeOptions): Promise<RealClaude> {
  const folders = options.folders ?? (await freshFolders())
  await options.prepare?.(folders)
  const model = await startDemoModel({ script: options.script })
  const input = messageQueue()
  const asks: SeenAsk[] = []
  const messages: SDKMessage[] = []
  const lines: Record<string, unknown>[] = []
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  let child: ChildProcess | undefined
  let over = false

  if (options.prompt !== null) input.push(userMessage(options.prompt ?? 'go'))
  const running = query({
    prompt: input,
    options: {
      cwd: folders.cwd,
      env: { ...claudeEnvironment({ home: folders.home, url: model.url }), ...options.env },
      canUseTool: async (name, toolInput, context) => {
        const ask = { name, input: toolInput, context }
        asks.push(ask)
        changed()
        return options.answer ? options.answer(ask) : { behavior: 'allow', updatedInput: toolInput }
      },
      spawnClaudeCodeProcess: (request) => {
        const started = spawnClaude(request)
        child = started
        onLines(started.stdout, (line) => {
          lines.push(line)
          changed()
        })
        return started
      },
      ...options.options,
    },
  })
  const ended = (async () => {
    try {
      for await (const message of running) {
        messages.push(message)
        changed()
      }
    } catch (error) {
      return error
    } finally {
      over = true
      changed()
    }
  })()

  function until<T>(probe: () => T | undefined, what = 'what the test waits for'): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        watchers.delete(watcher)
        settle()
      }
      const watcher = () => {
        const found = probe()
        if (found !== undefined) finish(() => resolve(found))
        else if (over) finish(() => reject(new Error(`the agent ended before ${what}`)))
      }
      const timer = setTimeout(() => finish(() => reject(new Error(`${what} did not come about`))), DEADLINE_MS)
      watchers.add(watcher)
      watcher()
    })
  }

  return {
    ...folders,
    model,
    query: running,
    asks,
    messages,
    lines,
    child() {
      if (!child) throw new Error('the agent has not been started yet')
      return child
    },
    send: (text, uuid) => input.push(userMessage(text, uuid)),
    endInput: input.end,
    result: (nth = 1) => until(() => messages.filter((message) => message.type === 'result')[nth - 1], `result ${nth}`),
    until,
    toolResults: () => messages.flatMap(toolResultsOf),
    files: async () => (await readdir(folders.cwd)).filter((name) => !name.startsWith('.')).sort(),
    ended,
    async [Symbol.asyncDispose]() {
      running.close()
      await model.close()
      if (child) await gone(child)
      if (!options.folders) await rm(dirname(folders.home), { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function freshFolders(): Promise<Folders> {
  const root = await mkdtemp(join(tmpdir(), 'holdpoint-claude-'))
  const folders = { home: join(root, 'home'), cwd: join(root, 'project') }
  await Promise.all([mkdir(folders.home), mkdir(folders.cwd)])
  return folders
}

/** Everything Claude Code needs to run alone: a dummy key, our endpoint, a home of its own, no other traffic. */
export function claudeEnvironment({ home, url }: { home: string; url: string }): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-not-a-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
  }
}

export function userMessage(text: string, uuid?: SDKUserMessage['uuid']): SDKUserMessage {
  return {
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    ...(uuid && { uuid }),
  }
}

/** A prompt that stays open until it is ended: the SDK drops its side of the line with the last message otherwise. */
export function messageQueue() {
  const waiting: SDKUserMessage[] = []
  let wake = () => {}
  let over = false
  return {
    push(message: SDKUserMessage) {
      waiting.push(message)
      wake()
    },
    end() {
      over = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = waiting.shift()
        if (message) yield message
        else if (over) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

function spawnClaude({ command, args, cwd, env }: SpawnOptions) {
  return spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] }) as ChildProcess & {
    stdin: Writable
    stdout: Readable
  }
}

export function onLines(stream: Readable, take: (line: Record<string, unknown>) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (line !== '') take(JSON.parse(line))
  })
}

/** Waits for the process, and kills it when it does not go by itself. */
export async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
  await exit
  clearTimeout(timer)
}

function toolResultsOf(message: SDKMessage) {
  if (message.type !== 'user' || typeof message.message.content === 'string') return []
  return message.message.content.flatMap((block) => {
    if (block.type !== 'tool_result') return []
    const { content = '' } = block
    const text =
      typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('')
    return [{ id: block.tool_use_id, text, isError: block.is_error === true }]
  })
}
