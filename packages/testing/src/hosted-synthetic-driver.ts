import type { HostAgent } from '@holdpoint/agents/host/client/host-agent'
import type { HostConnection } from '@holdpoint/agents/host/client/host-connection'
import { type AgentDriver, type AgentEnd, DriverError, type DriverStart } from '@holdpoint/core/driver'
import { askRequest } from './synthetic-driver.ts'

interface AgentLine {
  readonly type: string
  readonly request_id?: string
  readonly request?: {
    readonly tool_name: string
    readonly input: { readonly command: string }
    readonly tool_use_id: string
  }
}

/** Drives `synthetic-agent-main` through the real host: everything is real but the agent. */
export function createHostedSyntheticDriver(options: {
  host: HostConnection
  program: string
  arguments: (start: DriverStart) => readonly string[]
}): AgentDriver {
  return {
    agent: 'synthetic',
    async start(start) {
      const host = await options.host.client()
      const key = `${start.sessionId}.${start.epoch}`
      const attached = start.attach && (await host.attach({ key, after: start.attach.checkpoint }))
      if (start.attach && !attached) throw new DriverError('agent-gone', 'the synthetic agent is gone')
      const args = [options.program, ...options.arguments(start)]
      if (!attached) start.stopping.throwIfAborted()
      const agent = attached ?? (await host.spawn({ key, command: process.execPath, args, cwd: start.cwd, env: {} }))
      return drive(agent, start)
    },
  }
}

function drive(agent: HostAgent, start: DriverStart) {
  let left = false
  let finish = (_how: AgentEnd | 'detached') => {}
  const done = new Promise<AgentEnd | 'detached'>((resolve) => {
    finish = resolve
  })
  agent.onAnswered((id) => start.delivered([id]))
  if (agent.attached) start.delivered(agent.attached.answered)
  agent.onLine((line, text) => {
    const message = JSON.parse(text) as AgentLine
    if (message.type === 'control_request') void put(message)
    agent.ack(line)
  })
  void agent.write(
    JSON.stringify({ type: 'control_request', request_id: `init-${Date.now()}`, request: { subtype: 'initialize' } }),
  )
  void agent.exit.then((exit) => finish(left || exit.problem === 'replaced' ? 'detached' : { reason: 'agent-exited' }))
  queueMicrotask(() => void start.emit([{ type: 'ready' }]).catch(() => {}))

  async function put({ request_id: id = '', request }: AgentLine) {
    const tool = { name: request?.tool_name ?? '', input: { command: request?.input.command ?? '' } }
    const asked = askRequest({
      requestId: id,
      toolUseId: request?.tool_use_id ?? '',
      tool,
      title: tool.input.command,
      context: { cwd: start.cwd },
    })
    try {
      const outcome = await start.ask(asked, { signal: new AbortController().signal })
      const response = outcome.kind === 'allowed' ? { behavior: 'allow', input: tool.input } : { behavior: 'deny' }
      await agent.write(
        JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: id, response } }),
      )
    } catch {
      // Gone in the meantime: the next gateway goes on with it.
    }
  }

  return {
    send: async () => {},
    stop: async () => agent.kill('SIGKILL'),
    async detach() {
      left = true
      finish('detached')
    },
    done,
  }
}
