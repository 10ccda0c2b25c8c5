import type { AgentDriver, AgentEnd, AgentRun, DriverStart, OutgoingMessage } from '@holdpoint/core/driver'
import { NO_USAGE } from '@holdpoint/core/usage'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Usage } from '@holdpoint/schema/usage'

/** The other side of a session, for tests to speak for the agent. */
export interface SyntheticAgent {
  readonly start: DriverStart
  /** Messages the agent was given, in order. */
  readonly messages: OutgoingMessage[]
  /** Since when it has nothing to do, for parking; undefined: something it started lives. */
  quietMs: number | undefined
  readonly interrupts: () => number
  /** How it was told to end, if it was. */
  readonly stopped: () => 'now' | 'in time' | undefined
  /** Raises an ask and waits for its outcome; what is left out is filled in. */
  ask(request?: Partial<AskRequest>, signal?: AbortSignal, renew?: () => Partial<AskRequest>): Promise<Outcome>
  say(text: string): Promise<void>
  endTurn(): Promise<void>
  /** Its running total from now on; undefined: it does not tell any more. */
  uses(total: Usage | undefined): void
  /** From now on no message gets through. */
  failSends(why: string): void
  /** The agent process goes. */
  die(end?: AgentEnd): void
}

/** An agent in this very process, behind the same port as the real ones. */
export function createSyntheticDriver(
  agent = 'synthetic',
  { recheck, offers }: Pick<AgentRun, 'recheck' | 'offers'> = {},
) {
  const agents = new Map<SessionId, SyntheticAgent>()
  const waiting = new Map<SessionId, (agent: SyntheticAgent) => void>()
  let asks = 0
  let failure: Error | undefined

  const driver: AgentDriver = {
    agent,
    reportsUsage: true,
    async start(start): Promise<AgentRun> {
      if (failure) throw failure
      let interrupts = 0
      let stopped: ReturnType<SyntheticAgent['stopped']>
      let sendError: string | undefined
      let total: Usage | undefined = NO_USAGE
      let finish = (_how: AgentEnd | 'detached') => {}
      const done = new Promise<AgentEnd | 'detached'>((resolve) => {
        finish = resolve
      })
      const synthetic: SyntheticAgent = {
        start,
        messages: start.attach?.sent ? [start.attach.sent] : [],
        quietMs: Number.POSITIVE_INFINITY,
        interrupts: () => interrupts,
        stopped: () => stopped,
        async ask(request, signal = new AbortController().signal, renew) {
          const full = askRequest({ requestId: `req-${++asks}`, ...request })
          const outcome = await start.ask(full, {
            signal,
            ...(renew && { renew: async () => ({ ...full, ...renew() }) }),
          })
          start.delivered([full.requestId])
          return outcome
        },
        say: (text) => start.emit([{ type: 'item', item: { type: 'message', role: 'assistant', text } }]),
        endTurn: () => start.emit([{ type: 'turn-ended' }]),
        uses: (now) => {
          total = now
        },
        failSends: (why) => {
          sendError = why
        },
        die: (end = { reason: 'agent-exited' }) => finish(end),
      }
      agents.set(start.sessionId, synthetic)
      waiting.get(start.sessionId)?.(synthetic)
      queueMicrotask(() => void start.emit([{ type: 'ready' }]).catch(() => {}))
      return {
        send: async (message) => {
          if (sendError !== undefined) throw new Error(sendError)
          synthetic.messages.push(message)
        },
        interrupt: async () => {
          interrupts++
          await synthetic.endTurn()
        },
        setMode: async () => {},
        setModel: async () => {},
        quietMs: async () => synthetic.quietMs,
        usage: async () => {
          if (!total) throw new Error('no idea')
          return total
        },
        ...(recheck && { recheck }),
        ...(offers && { offers }),
        stop: async (how) => {
          stopped ??= how ?? 'in time'
          finish({ reason: 'stopped' })
        },
        detach: async () => finish('detached'),
        done,
      }
    },
  }

  return {
    driver,
    agents,
    /** From now on no agent can be started. */
    fail(error: Error) {
      failure = error
    },
    /** The agent of a session, as soon as it is there. */
    agentOf(id: SessionId): Promise<SyntheticAgent> {
      const known = agents.get(id)
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.set(id, resolve))
    },
  }
}

/** An approval of a shell command, unless told otherwise; questions are Claude Code's own. */
export function askRequest(request: Partial<AskRequest> = {}): AskRequest {
  const input = request.tool?.input ?? { command: 'echo hello' }
  return {
    requestId: 'req',
    kind: 'approval',
    toolUseId: `tool-${request.requestId ?? 'req'}`,
    tool: request.kind === 'question' ? { name: 'AskUserQuestion', input: {} } : { name: 'Bash', input },
    title: 'Bash: echo hello',
    context: { cwd: '/somewhere' },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: false },
    ...request,
  }
}
