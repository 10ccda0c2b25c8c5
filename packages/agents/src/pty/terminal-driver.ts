import type { Clock } from '@holdpoint/core/clock'
import {
  type AgentDriver,
  type AgentEnd,
  type AgentEvent,
  type AgentRun,
  DriverError,
  type DriverStart,
} from '@holdpoint/core/driver'
import { StoreFault } from '@holdpoint/core/store'
import type { HostedTerminal, TerminalHooks } from '../attached/terminal-hooks.ts'
import type { HostConnection } from '../claude/host-connection.ts'
import type { InteractiveTools } from '../claude/interactive-tools.ts'
import { whyNotAsShown } from '../claude/shown-effect.ts'
import type { HostAgent } from '../host/host-agent.ts'
import { HostError } from '../host/host-error.ts'
import { projectsDir } from '../transcript/project-folder.ts'
import { claudeLaunch, isClaude } from './claude-launch.ts'
import { endReason } from './exit-code.ts'
import { createHostedClaude, type HostedClaude } from './hosted-claude.ts'
import { isOfScreen } from './screen-asks.ts'
import { createTerminal } from './terminal.ts'
import type { RunningTerminal, TerminalProgram, Terminals } from './terminals.ts'

export interface TerminalDriverDeps {
  readonly host: HostConnection
  /** The helper's program. */
  readonly helperMain: string
  /** What a program gets that came with no environment of its own. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly terminals: Terminals
  readonly program: (sessionId: string) => Promise<TerminalProgram | undefined>
  readonly tools: InteractiveTools
  readonly clock: Clock
  /** The hooks of what runs in a terminal. */
  readonly hooks: (terminal: HostedTerminal) => TerminalHooks
  /** Whether another session than this one speaks for the same conversation. */
  readonly hasHooks: (vendorSessionId: string, sessionId: string) => boolean
  readonly warn: (message: string, details: Record<string, unknown>) => void
}

export const TERMINAL_AGENT = 'terminal'
const STORE_RETRY_MS = 1000
const STDERR_SHOWN = 600

/** Programs in terminals that outlive the gateway: the host holds the helper, and the helper the screen. */
export function createTerminalDriver(deps: TerminalDriverDeps): AgentDriver {
  return {
    agent: TERMINAL_AGENT,
    isTyped: true,
    handed: deps.tools.watched,
    whyNotAsShown,
    async start(start) {
      const program = await deps.program(start.sessionId)
      if (!program) {
        throw new DriverError('no-program', 'What should run in this terminal is not known. Use "holdpoint run".')
      }
      const host = await deps.host.client()
      const key = `${start.sessionId}.${start.epoch}`
      const attached = start.attach ? await host.attach({ key, after: 0 }) : undefined
      if (start.attach && !attached && !start.attach.mayBeMissing) {
        throw new DriverError('agent-gone', 'The terminal ended while no gateway was watching.')
      }
      const launch = isClaude(program) ? claudeLaunch(program.args, start.resume) : { args: program.args }
      const args = ['--cols', String(program.cols), '--rows', String(program.rows), '--', program.command]
      const agent =
        attached ??
        (await host
          .spawn({
            key,
            command: process.execPath,
            args: [deps.helperMain, ...args, ...launch.args],
            cwd: start.cwd,
            env: environmentFor(deps, start),
          })
          .catch((error: unknown) => {
            if (!(error instanceof HostError) || error.code !== 'cannot-start') throw error
            throw new DriverError('agent-missing', `The terminal could not be started: ${error.message}`, {
              cause: error,
            })
          }))
      return runTerminal(deps, { start, program, agent, vendorSessionId: launch.vendorSessionId })
    },
  }
}

function environmentFor(deps: TerminalDriverDeps, start: DriverStart): Record<string, string> {
  const given = deps.terminals.takeEnvironment(start.sessionId) ?? deps.environment
  const kept = Object.entries(given).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('HOLDPOINT_'),
  )
  // What the screen keeper understands, whatever terminal the program was started from.
  return { ...Object.fromEntries(kept), TERM: 'xterm-256color', COLORTERM: 'truecolor' }
}

function runTerminal(
  deps: TerminalDriverDeps,
  parts: { start: DriverStart; program: TerminalProgram; agent: HostAgent; vendorSessionId: string | undefined },
): AgentRun {
  const { start, agent, program } = parts
  const over = new AbortController()
  let isLeft = false
  let ending: AgentEnd | undefined
  let finish = (_how: AgentEnd | 'detached') => {}
  const done = new Promise<AgentEnd | 'detached'>((resolve) => {
    finish = resolve
  })
  const warn = (message: string, details: Record<string, unknown> = {}) =>
    deps.warn(message, { sessionId: start.sessionId, ...details })

  const terminal = createTerminal(agent, {
    clock: deps.clock,
    onFault: (error) => isLeft || warn('a terminal could not be reached', { error: String(error) }),
  })
  const isProgram = isClaude(program)
  const ofHooks = (start.attach?.open ?? []).filter((ask) => !isOfScreen(ask))
  const hooks = deps.hooks({
    start,
    pid: agent.pid,
    open: ofHooks,
    isAsked: (call) => claude.isAsked(call),
    readThread: () => claude.readNow(),
    onConversation({ vendorSessionId: sessionId, transcript: path }) {
      if (path !== undefined) claude.moveTo({ path, sessionId })
    },
  })
  const claude: HostedClaude = createHostedClaude({
    start: {
      ...start,
      // What hooks have asked is for them to come back to.
      reattached: ({ open, answered }) =>
        start.reattached({ open: [...open, ...ofHooks.map(({ requestId }) => requestId)], answered }),
    },
    terminal,
    tools: deps.tools,
    clock: deps.clock,
    projects: program.projects ?? projectsDir(),
    isProgram,
    vendorSessionId: parts.vendorSessionId,
    hooks,
    hasHooks: (id) => deps.hasHooks(id, start.sessionId),
    commit,
    warn,
    signal: over.signal,
  })
  const running: RunningTerminal = {
    terminal,
    conversation: claude,
    recheck: async (ask, answer) => (isOfScreen(ask) ? claude.recheck(ask, answer) : undefined),
    dialogOf: claude.dialogOf,
  }
  deps.terminals.set(start.sessionId, running)

  const { vendorSessionId } = parts
  void commit([
    { type: 'turn-started' },
    ...(vendorSessionId === undefined ? [] : [{ type: 'identified' as const, vendorSessionId }]),
  ])
  void agent.exit.then(async (exit) => {
    const code = await terminal.exited
    over.abort()
    deps.terminals.remove(start.sessionId, running)
    const isGone = !isLeft && exit.problem !== 'replaced'
    await hooks.close(isGone ? 'ended' : 'detached')
    if (!isGone) return finish('detached')
    await claude.closed
    if (exit.problem !== 'host-gone') agent.forget()
    const lost =
      exit.problem === 'host-gone' ? 'the process that held it is gone' : exit.stderrTail.trim().slice(-STDERR_SHOWN)
    finish(
      ending ??
        (code === undefined
          ? { reason: 'agent-exited', error: { code: 'terminal-lost', message: `The terminal is gone: ${lost}` } }
          : { reason: endReason(code) }),
    )
  })

  /** A store in trouble holds this up; nothing is lost of it. */
  async function commit(events: readonly AgentEvent[], checkpoint?: number): Promise<void> {
    while (!over.signal.aborted) {
      try {
        return await start.emit(events, checkpoint)
      } catch (error) {
        warn('what happened in a terminal could not be recorded yet', { error: String(error) })
        if (!(error instanceof StoreFault)) return
        await new Promise<void>((resolve) => deps.clock.after(STORE_RETRY_MS, resolve))
      }
    }
  }

  return {
    // As the person at the keyboard would.
    interrupt: async () => terminal.press(isProgram || hooks.isHeard() ? '\x1b' : '\x03'),
    memoryBytes: () => agent.memoryBytes(),
    async stop() {
      ending ??= { reason: 'stopped' }
      await agent.kill().catch((error: unknown) => warn('a terminal could not be ended', { error: String(error) }))
      await done
    },
    async detach() {
      isLeft = true
      over.abort()
      deps.terminals.remove(start.sessionId, running)
      await hooks.close('detached')
      finish('detached')
      await claude.closed
    },
    done,
  }
}
