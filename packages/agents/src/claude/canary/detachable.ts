import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import { gone, onLines } from '@holdpoint/testing/real-claude'

/**
 * One agent process that outlives the SDK attached to it. A second spawn attaches to the first one's process. Without
 * `hooks` in its `initialize`, if so told, as the host hands it on.
 */
export function detachable({ dropsHooks = false } = {}) {
  const lines: Record<string, unknown>[] = []
  let child: ChildProcess | undefined
  let attached: PassThrough | undefined

  return {
    /** All the agent wrote, whoever was attached. */
    lines,
    spawn(options: SpawnOptions): SpawnedProcess {
      const [stdin, stdout] = [new PassThrough(), new PassThrough()]
      const link = Object.assign(new EventEmitter(), { stdin, stdout, killed: false, exitCode: null, kill: () => true })
      const isSecond = child !== undefined
      const agent = child ?? start(options)
      child = agent
      attached = stdout
      agent.once('exit', (code, signal) => {
        stdout.end()
        link.emit('exit', code, signal)
      })
      stdin.on('data', (data) => {
        if (attached === stdout) agent.stdin?.write(dropsHooks && isSecond ? withoutHooks(String(data)) : data)
      })
      stdin.on('end', () => {
        if (attached === stdout) agent.stdin?.end()
      })
      return link
    },
    /** What the agent sees when the process with the SDK dies and something in between keeps its pipes open. */
    cut() {
      attached = undefined
    },
    replay(line: Record<string, unknown>) {
      attached?.write(`${JSON.stringify(line)}\n`)
    },
    gone: async () => {
      if (child) await gone(child)
    },
    async [Symbol.asyncDispose]() {
      child?.kill('SIGKILL')
      if (child) await gone(child)
    },
  }

  function start({ command, args, cwd, env }: SpawnOptions): ChildProcess {
    const agent = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
    onLines(agent.stdout, (line) => {
      lines.push(line)
      attached?.write(`${JSON.stringify(line)}\n`)
    })
    return agent
  }
}

/** The SDK writes whole lines. */
function withoutHooks(lines: string): string {
  return lines.replace(/^.*"subtype":"initialize".*$/m, (line) => {
    const { request, ...rest } = JSON.parse(line)
    return JSON.stringify({ ...rest, request: { ...request, hooks: undefined } })
  })
}
