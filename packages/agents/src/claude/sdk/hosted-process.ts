import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { SpawnedProcess } from '@anthropic-ai/claude-agent-sdk'
import type { HostAgent } from '../../host/client/host-agent.ts'
import { parse, readControlLine } from '../../host/wire/control-line.ts'
import { createLineSplitter } from './text-lines.ts'

/**
 * An agent process as the SDK wants to see one, though it belongs to the host. The SDK may end or kill it only while
 * it is ours: after `release` nothing that the SDK does on its way out reaches the agent.
 */
export interface HostedProcess {
  readonly process: SpawnedProcess
  /** The agent is there: lines flow. */
  connect(agent: HostAgent): void
  /** A line from the agent, for the SDK. */
  push(line: string): void
  /** The host has answered this request of the agent itself: what the SDK says to it goes nowhere. */
  answered(requestId: string): void
  /** The agent's output is over. */
  end(code: number | null, signal: string | null): void
  release(): void
}

export function createHostedProcess(onWriteError: (error: unknown) => void): HostedProcess {
  const events = new EventEmitter()
  const stdout = new Readable({ read() {} })
  let agent: HostAgent | undefined
  let released = false
  let killed = false
  let exitCode: number | null = null
  const early: string[] = []
  const answered = new Set<string>()

  const isAnsweredAlready = (line: string) => {
    if (answered.size === 0) return false
    const control = readControlLine(parse(line))
    return control?.type === 'response' && answered.delete(control.requestId)
  }
  const send = (line: string) => {
    if (released || isAnsweredAlready(line)) return
    if (agent) agent.write(line).catch(onWriteError)
    else early.push(line)
  }
  const splitter = createLineSplitter(send)
  const stdin = new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _, done) {
      splitter.push(typeof chunk === 'string' ? chunk : chunk.toString('utf8'))
      done()
    },
  })

  const process = Object.assign(events, {
    stdin,
    stdout,
    kill(signal: NodeJS.Signals) {
      killed = true
      if (!released) agent?.kill(signal === 'SIGKILL' ? 'SIGKILL' : 'SIGTERM').catch(onWriteError)
      return true
    },
  })
  Object.defineProperties(process, { killed: { get: () => killed }, exitCode: { get: () => exitCode } })

  return {
    process: process as unknown as SpawnedProcess,
    connect(connected) {
      agent = connected
      for (const line of early.splice(0)) send(line)
    },
    answered: (requestId) => void answered.add(requestId),
    push: (line) => void (released || stdout.push(`${line}\n`)),
    end(code, signal) {
      exitCode = code ?? 0
      stdout.push(null)
      events.emit('exit', code, signal)
    },
    release() {
      released = true
    },
  }
}
