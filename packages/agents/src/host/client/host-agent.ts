import type { AgentExit, Attached, HostMessage } from '../wire/host-message.ts'
import type { HostChannel, Reply } from './host-channel.ts'

/** An agent that the host holds for us. */
export interface HostAgent {
  readonly key: string
  readonly pid: number
  /** What had reached the agent when we took over; undefined for one that we have started. */
  readonly attached: Attached | undefined
  /**
   * Called for each line, in order, starting with those that came before there was a listener; one listener. `replay`
   * marks an open request that is delivered again under its first number, after the agent has answered `initialize`.
   */
  onLine(listener: (n: number, line: string, replay: boolean) => void): void
  /** An answer has reached the agent. */
  onAnswered(listener: (requestId: string) => void): void
  onStderr(listener: (text: string) => void): void
  /**
   * Everything up to line `n` is committed and need not be kept. Lines that lead to no commit have to be acknowledged
   * as well: the agent's output is not read any more when too much is outstanding.
   */
  ack(n: number): void
  /**
   * Resolves when the line has left for the agent, or was dropped because the agent has it already. Rejects with a
   * `HostError` when the agent or the host is gone; whether the line arrived is then not known.
   */
  write(line: string): Promise<{ dropped: boolean }>
  /** Ends the agent and everything it started; SIGKILL at once, or after a grace. Resolves when all is gone. */
  kill(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Of the agent and what it started; undefined where it cannot be told. */
  memoryBytes(): Promise<number | undefined>
  /** Lets the host drop what it knows of an agent that has ended. */
  forget(): void
  /** Settles after the last line. Never rejects: with `problem: 'host-gone'` the agent may still run. */
  readonly exit: Promise<AgentExit>
}

type Heard = Extract<HostMessage, { t: 'line' | 'answered' | 'stderr' | 'exit' }>

export interface AgentHandle {
  readonly agent: HostAgent
  hear(message: Heard): void
  lose(problem: 'host-gone' | 'replaced'): void
}

export function createAgentHandle(
  channel: HostChannel,
  reply: Extract<Reply, { t: 'spawned' | 'attached' }>,
): AgentHandle {
  const { key, pid } = reply
  let early: Extract<HostMessage, { t: 'line' }>[] = []
  let onLine: Parameters<HostAgent['onLine']>[0] | undefined
  let onAnswered: Parameters<HostAgent['onAnswered']>[0] | undefined
  let onStderr: Parameters<HostAgent['onStderr']>[0] | undefined
  let settleExit = (_exit: AgentExit): void => {}
  const exit = new Promise<AgentExit>((resolve) => {
    settleExit = resolve
  })

  const agent: HostAgent = {
    key,
    pid,
    attached: reply.t === 'attached' ? attachedFrom(reply) : undefined,
    onLine: (listener) => {
      onLine = listener
      const lines = early
      early = []
      for (const { n, line, replay } of lines) listener(n, line, replay === true)
    },
    onAnswered: (listener) => {
      onAnswered = listener
    },
    onStderr: (listener) => {
      onStderr = listener
    },
    ack: (line) => channel.acknowledge({ key, line }),
    write: (line) => {
      if (line.includes('\n')) throw new TypeError('a line for an agent holds a newline')
      return channel.request({ t: 'write', key, line }, (answer) => ({
        dropped: answer.t === 'wrote' && answer.dropped,
      }))
    },
    kill: (signal) => channel.request({ t: 'kill', key, ...(signal ? { signal } : {}) }, () => undefined),
    memoryBytes: () =>
      channel.request({ t: 'memory', key }, (answer) => (answer.t === 'memory' ? answer.bytes : undefined)),
    forget: () => channel.send({ t: 'forget', key }),
    exit,
  }

  return {
    agent,
    hear: (message) => {
      switch (message.t) {
        case 'line':
          if (onLine) onLine(message.n, message.line, message.replay === true)
          else early.push(message)
          return
        case 'answered':
          return onAnswered?.(message.requestId)
        case 'stderr':
          return onStderr?.(message.text)
        case 'exit':
          return settleExit(exitFrom(message))
      }
    },
    lose: (problem) => settleExit({ code: null, signal: null, stderrTail: '', problem }),
  }
}

function attachedFrom({ open, answered, uuids, folders, skills, exit }: Attached): Attached {
  return { open, answered, uuids, folders, ...(skills && { skills }), ...(exit ? { exit } : {}) }
}

function exitFrom({ code, signal, stderrTail, problem }: AgentExit): AgentExit {
  return { code, signal, stderrTail, ...(problem ? { problem } : {}) }
}
