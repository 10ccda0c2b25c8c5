import type { Clock } from '@holdpoint/core/clock'
import {
  type AgentDriver,
  type AgentEnd,
  type AgentEvent,
  type AgentRun,
  DriverError,
  type DriverStart,
} from '@holdpoint/core/driver'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { callAction } from '../claude/asks/call-action.ts'
import type { InteractiveTools } from '../claude/asks/interactive-tools.ts'
import { whyNotAsShown } from '../claude/asks/shown-effect.ts'
import type { MayOthersAnswer } from '../claude/attached/gated-calls.ts'
import type { HostedTerminal, TerminalHooks } from '../claude/attached/terminal-hooks.ts'
import { claudeLaunch, isClaude } from '../claude/screen/claude-launch.ts'
import { createHostedClaude, type HostedClaude } from '../claude/screen/hosted-claude.ts'
import { isOfScreen } from '../claude/screen/screen-asks.ts'
import { projectsDir } from '../claude/transcript/project-folder.ts'
import type { HostAgent } from '../host/client/host-agent.ts'
import type { HostConnection } from '../host/client/host-connection.ts'
import { HostError } from '../host/client/host-error.ts'
import { endReason } from '../terminal/exit-code.ts'
import { createTerminal, type TerminalScreen } from '../terminal/terminal.ts'
import type { RunningTerminal, TerminalProgram, Terminals } from './terminals.ts'

export interface TerminalDriverDeps {
  readonly host: HostConnection
  /** The helper's program. */
  readonly helperMain: string
  /** What a program gets that came with no environment of its own. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Variables that no program gets, wherever its environment came from (T72). */
  readonly isWithheld: (name: string) => boolean
  readonly terminals: Terminals
  readonly program: (sessionId: string) => Promise<TerminalProgram | undefined>
  /** Keeps how a terminal looked at its end, before anything says that it has ended. */
  readonly keepLastScreen: (life: Pick<DriverStart, 'sessionId' | 'epoch'>, screen: TerminalScreen) => Promise<void>
  readonly tools: InteractiveTools
  readonly clock: Clock
  /** The hooks of what runs in a terminal. */
  readonly hooks: (terminal: HostedTerminal) => TerminalHooks
  /** Whether another session than this one speaks for the same conversation. */
  readonly hasHooks: (vendorSessionId: string, sessionId: string) => boolean
  /** Whether the user's settings could want a person for a call each time. Left out: they could. */
  readonly mayWantPerson?: MayOthersAnswer
  readonly warn: LogFunction
}

const STDERR_SHOWN = 600

/** Programs in terminals that outlive the gateway: the host holds the helper, and the helper the screen. */
export function createTerminalDriver(deps: TerminalDriverDeps): AgentDriver {
  return {
    agent: TERMINAL_AGENT,
    isTyped: true,
    watchedInput: deps.tools.watchedInput,
    whyNotAsShown,
    actionOf: callAction,
    async start(start) {
      const program = await deps.program(start.sessionId)
      if (!program) {
        throw new DriverError('no-program', 'The program for this terminal is not known. Use "holdpoint run".')
      }
      const host = await deps.host.client()
      const key = `${start.sessionId}.${start.epoch}`
      const attached = start.attach ? await host.attach({ key, after: 0 }) : undefined
      if (start.attach && !attached && !start.attach.mayBeMissing) {
        throw new DriverError('agent-gone', 'The terminal ended while no gateway was running.')
      }
      const launch = isClaude(program) ? claudeLaunch(program.args, start.resume) : { args: program.args }
      const args = ['--cols', String(program.cols), '--rows', String(program.rows), '--', program.command]
      if (!attached) start.stopping.throwIfAborted()
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
    (entry): entry is [string, string] => entry[1] !== undefined && !deps.isWithheld(entry[0]),
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
  const warn: LogFunction = (event, details) => deps.warn(event, { sessionId: start.sessionId, ...details })

  const terminal = createTerminal(agent, {
    clock: deps.clock,
    onFault: (error) => isLeft || warn('terminal_unreachable', { error: String(error) }),
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
    ...(deps.mayWantPerson && { mayWantPerson: deps.mayWantPerson }),
    commit,
    warn,
    signal: over.signal,
  })
  const running: RunningTerminal = {
    terminal,
    conversation: claude,
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
    // Whoever comes after a crash reads it again: the helper's words are forgotten only then.
    await keepLastScreen()
    if (exit.problem !== 'host-gone') agent.forget()
    const lost =
      exit.problem === 'host-gone' ? 'its host process has ended' : exit.stderrTail.trim().slice(-STDERR_SHOWN)
    finish(
      ending ??
        (code === undefined
          ? { reason: 'agent-exited', error: { code: 'terminal-lost', message: `The terminal was lost: ${lost}` } }
          : { reason: endReason(code) }),
    )
  })

  async function keepLastScreen(): Promise<void> {
    if (!terminal.lastScreen) return
    await deps
      .keepLastScreen(start, terminal.lastScreen)
      .catch((error: unknown) => warn('last_screen_not_kept', { error: String(error) }))
  }

  async function commit(events: readonly AgentEvent[], checkpoint?: number): Promise<void> {
    if (over.signal.aborted) return
    await start
      .emit(events, checkpoint)
      .catch((error: unknown) => warn('terminal_event_not_recorded', { error: String(error) }))
  }

  return {
    // As the person at the keyboard would.
    interrupt: async () => terminal.press(isProgram || hooks.isHeard() ? '\x1b' : '\x03'),
    memoryBytes: () => agent.memoryBytes(),
    recheck: async (ask, answer) =>
      (await hooks.recheck(ask)) ?? (isOfScreen(ask) ? claude.recheck(ask, answer) : undefined),
    async stop() {
      ending ??= { reason: 'stopped' }
      await agent.kill().catch((error: unknown) => warn('terminal_not_ended', { error: String(error) }))
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
