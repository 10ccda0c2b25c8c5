import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import { inTime } from '@holdpoint/agents/claude/asks/in-time'
import { whyNotAsShown } from '@holdpoint/agents/claude/asks/shown-effect'
import type { AgentDriver, AgentEnd, AgentRun, DriverStart, OutgoingMessage } from '@holdpoint/core/driver'
import type { AttachedQuery } from './holdpoint.ts'
import { interruptQuery } from './interrupt-query.ts'

export interface EmbeddedAgent {
  readonly driver: AgentDriver
  /** What the gateway gives an agent, once the session is on record. */
  readonly started: Promise<DriverStart>
  /** Whether the session is over for this agent: nothing that it asks is put to anybody any more. */
  isOver(): boolean
  finish(end: AgentEnd): void
  attach(query: AttachedQuery): void
  attached(): AttachedQuery | undefined
}

/** An agent as the gateway knows them, though it runs in this program already and the program owns it. */
export function createEmbeddedAgent(options: {
  readonly watchedInput: AgentDriver['watchedInput']
  /** Left out, only the program writes to its agent. */
  readonly send?: (message: OutgoingMessage) => Promise<void>
}): EmbeddedAgent {
  const { watchedInput, send } = options
  let query: AttachedQuery | undefined
  let isOver = false
  const { promise: started, resolve: begin } = promised<DriverStart>()
  const { promise: done, resolve: settle } = promised<AgentEnd | 'detached'>()

  function finish(how: AgentEnd | 'detached') {
    isOver = true
    settle(how)
  }

  async function interrupt(attached: AttachedQuery, start: DriverStart) {
    await interruptQuery(attached)
    // An interrupted turn ends without a word from the agent's hooks.
    await start.emit([{ type: 'turn-ended' }])
  }

  /** What is not sending comes with a query. */
  const runOf = (start: DriverStart): AgentRun => ({
    ...(send && { send }),
    get interrupt(): AgentRun['interrupt'] {
      const attached = query
      return attached && (() => interrupt(attached, start))
    },
    get setMode(): AgentRun['setMode'] {
      const attached = query
      return attached && ((mode) => inTime(attached.setPermissionMode(mode)))
    },
    get setModel(): AgentRun['setModel'] {
      const attached = query
      return attached && ((model) => inTime(attached.setModel(model)))
    },
    async stop() {
      if (!isOver) query?.close()
      finish({ reason: 'stopped' })
    },
    async detach() {
      finish('detached')
    },
    done,
  })

  return {
    driver: {
      agent: 'embedded',
      ...(watchedInput && { watchedInput }),
      whyNotAsShown,
      actionOf: callAction,
      ...(send && { takesMessages: true }),
      async start(start) {
        begin(start)
        return runOf(start)
      },
    },
    started,
    isOver: () => isOver,
    finish,
    attach(given) {
      query = given
    },
    attached: () => query,
  }
}

function promised<Value>() {
  let resolve = (_value: Value) => {}
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
