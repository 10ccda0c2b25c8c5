import type { Clock } from '@holdpoint/core/clock'
import { type AgentDriver, DriverError } from '@holdpoint/core/driver'
import type { Records } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { callAction } from '../asks/call-action.ts'
import { createInteractiveTools, type InteractiveTools } from '../asks/interactive-tools.ts'
import { whyNotAsShown } from '../asks/shown-effect.ts'
import { ancestorsOf } from './ancestors.ts'
import { isBeginning, placeOf } from './arrival.ts'
import { type AttachedRun, createAttachedRun } from './attached-run.ts'
import { beforeId } from './before-id.ts'
import { type MayOthersAnswer, NO_OPINION } from './gated-calls.ts'
import type { HookCall, HookReply, ProcessName } from './hook-call.ts'
import { createProcessWatch } from './process-watch.ts'
import { createRounds } from './rounds.ts'
import { createTerminalHooks, type HostedTerminal, type TerminalHooks } from './terminal-hooks.ts'
import { TerminalPlace } from './terminal-place.ts'
import { createFolderWatches } from './watch-folder.ts'

/** The sessions of the gateway, as far as agents that come by themselves are concerned. */
export interface AttachedSessions {
  /** The session of this conversation, if there is one. */
  find(vendorSessionId: string): Promise<FoundSession | undefined>
  /** Records a new session; its agent is started by way of the driver. */
  start(options: { vendorSessionId: string; cwd: string; permissionMode: string | undefined }): Promise<void>
  /** A new life of a session that has ended. */
  resume(id: SessionId): Promise<void>
  /** Resolves when the session is on record as ended. */
  ended(id: SessionId): Promise<void>
  /** The sessions that are terminals of the gateway's own. */
  hosted(): readonly SessionId[]
}

export interface FoundSession {
  readonly id: SessionId
  readonly isAlive: boolean
  /** False for one that the gateway runs itself, or that runs inside another program. */
  readonly isAttached: boolean
}

export interface AttachedAgentsDeps {
  readonly records: Records
  readonly clock: Clock
  readonly warn: LogFunction
  readonly tools?: InteractiveTools
  /** Left out: always, so that no answer but a person's counts. */
  readonly mayOthersAnswer?: MayOthersAnswer
}

export interface AttachedAgents {
  readonly driver: AgentDriver
  /** Once, before the first hook. */
  connect(sessions: AttachedSessions): void
  /** The hooks of programs in a terminal of the gateway's own: they belong to its session. */
  host(terminal: HostedTerminal): TerminalHooks
  /**
   * What a hook brings. Events of the agent's life are taken down and answered at once. What asks is held until its ask has
   * an outcome, or the hook goes (the signal): a permission request, and a call before it runs, if a rule is about it.
   */
  hook(call: HookCall, signal: AbortSignal): Promise<HookReply>
  close(): void
}

export const ATTACHED = 'attached'
const COLLECTION = 'terminals'
const APPEAR_MS = 5000
const MAX_KNOWN = 1000
const NOTHING: HookReply = {}

/** The agents that run in terminals, known by what their hooks say. */
export function createAttachedAgents(deps: AttachedAgentsDeps): AttachedAgents {
  const { records, clock, warn } = deps
  const tools = deps.tools ?? createInteractiveTools()
  const watches = createFolderWatches()
  const { mayOthersAnswer = async () => true } = deps
  const shared = { watches, processWatch: createProcessWatch(clock), rounds: createRounds(clock), mayOthersAnswer }
  const runs = new Map<string, AttachedRun>()
  /** Those who wait for a run that is about to be there. */
  const expecting = new Map<string, Set<(run: AttachedRun) => void>>()
  /** Conversations that their process has left: what comes late from it begins nothing. */
  const endedConversations = new Set<string>()
  const hosted = new Map<SessionId, TerminalHooks>()
  const awaitingHosted = new Set<() => void>()
  /** By process: the terminal it runs in, if it is one of ours. */
  const terminalByProcess = new Map<string, TerminalHooks | undefined>()
  /** Where those are to be found whose session is being recorded. */
  const pendingStarts = new Map<string, TerminalPlace>()
  /** What hooks of one conversation, and of one process, bring is taken in the order in which it came. */
  const turns = new Map<string, Promise<unknown>>()
  let sessions: AttachedSessions | undefined

  const driver: AgentDriver = {
    agent: ATTACHED,
    attaches: true,
    watchedInput: tools.watchedInput,
    whyNotAsShown,
    actionOf: callAction,
    async start(start) {
      const arrived = pendingStarts.get(start.resume ?? '')
      const place = arrived ?? (await recall(start.sessionId))
      if (!place) throw new DriverError('agent-gone', 'It is no longer known in which terminal this agent ran.')
      const run = createAttachedRun({
        start,
        place,
        tools,
        clock,
        ...shared,
        warn,
        remember: (now) => records.put(COLLECTION, start.sessionId, now).catch(notKept),
      })
      runs.set(place.vendorSessionId, run)
      for (const tell of expecting.get(place.vendorSessionId) ?? []) tell(run)
      void run.done.then((end) => {
        if (runs.get(place.vendorSessionId) === run) runs.delete(place.vendorSessionId)
        if (end !== 'detached') void records.remove(COLLECTION, start.sessionId).catch(() => {})
      })
      // Without it the next gateway will not find the agent; this one has it.
      if (arrived) await records.put(COLLECTION, start.sessionId, place).catch(notKept)
      return run
    },
  }

  function notKept(error: unknown) {
    warn('terminal_location_not_persisted', { error: String(error) })
  }

  /** The run of a session that is on record as alive: this gateway may be about to take it up. */
  function appearing(vendorSessionId: string): Promise<AttachedRun | undefined> {
    const here = runs.get(vendorSessionId)
    if (here) return Promise.resolve(here)
    return new Promise((resolve) => {
      const waiting = expecting.get(vendorSessionId) ?? new Set()
      expecting.set(vendorSessionId, waiting)
      const settle = (run?: AttachedRun) => {
        late()
        waiting.delete(settle)
        if (waiting.size === 0) expecting.delete(vendorSessionId)
        resolve(run)
      }
      const late = clock.after(APPEAR_MS, settle)
      waiting.add(settle)
    })
  }

  /** Those that are on record may be about to be taken up: until then nobody can say what runs in them. */
  async function hostedThere(): Promise<void> {
    const isThere = () => sessions?.hosted().every((id) => hosted.has(id)) !== false
    if (isThere()) return
    await new Promise<void>((resolve) => {
      const settle = () => {
        late()
        awaitingHosted.delete(look)
        resolve()
      }
      const look = () => isThere() && settle()
      const late = clock.after(APPEAR_MS, settle)
      awaitingHosted.add(look)
    })
  }

  /** The terminal of ours in which a process runs. It stays the same for as long as the process lives. */
  async function homeOf(process: ProcessName): Promise<TerminalHooks | undefined> {
    const name = nameOf(process)
    if (terminalByProcess.has(name)) return terminalByProcess.get(name)
    await hostedThere()
    const ancestors = hosted.size === 0 ? [] : await ancestorsOf(process.pid)
    const home = [...hosted.values()].find((terminal) => terminal.owns(ancestors))
    terminalByProcess.set(name, home)
    forgetOldest(terminalByProcess)
    return home
  }

  async function recall(sessionId: SessionId): Promise<TerminalPlace | undefined> {
    const parsed = TerminalPlace.safeParse(await records.get(COLLECTION, sessionId))
    return parsed.success ? parsed.data : undefined
  }

  async function inTurn<Value>(keys: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const turn = Promise.allSettled(keys.map((key) => turns.get(key))).then(work)
    for (const key of keys) turns.set(key, turn)
    try {
      return await turn
    } finally {
      for (const key of keys) if (turns.get(key) === turn) turns.delete(key)
    }
  }

  /** The run that this call belongs to; a session is begun or taken up again where there is none. */
  async function runOf(call: HookCall): Promise<AttachedRun | undefined> {
    const { hook, process } = call
    const event = hook.hook_event_name
    const name = `${hook.session_id} ${nameOf(process)}`
    if (event === 'SessionStart') {
      endedConversations.delete(name)
      // Where a start does not name the process, another one may have got the pid.
      terminalByProcess.delete(nameOf(process))
    }
    if (endedConversations.has(name)) return undefined
    if (event === 'SessionEnd') {
      endedConversations.add(name)
      forgetOldest(endedConversations)
    }
    const home = await homeOf(process)
    if (home) return home.runOf(call)
    const known = runs.get(hook.session_id)
    if (known && !known.isOver() && (await known.takes(process))) return known
    if (!sessions || !isBeginning(hook)) return undefined
    const place = await placeOf(call)
    if (!place) return undefined
    if (known) await sessions.ended(known.sessionId)
    const found = await sessions.find(hook.session_id)
    if (found && !found.isAttached && found.isAlive) return undefined
    pendingStarts.set(hook.session_id, place)
    try {
      const { session_id: vendorSessionId, cwd, permission_mode: permissionMode } = hook
      if (!found?.isAttached) await sessions.start({ vendorSessionId, cwd, permissionMode })
      else if (!found.isAlive) await sessions.resume(found.id)
      const run = await appearing(vendorSessionId)
      if (!run || (await run.takes(process))) return run
      // Taken up from the record, but its process is gone, and this is the next one.
      await sessions.ended(run.sessionId)
      await sessions.resume(run.sessionId)
      return appearing(vendorSessionId)
    } finally {
      pendingStarts.delete(hook.session_id)
    }
  }

  return {
    driver,
    connect(given) {
      sessions = given
    },
    host(terminal) {
      const { sessionId } = terminal.start
      const hooks = createTerminalHooks({ records, tools, clock, ...shared, warn }, terminal)
      hosted.set(sessionId, hooks)
      for (const look of [...awaitingHosted]) look()
      return {
        ...hooks,
        async close(how) {
          if (hosted.get(sessionId) === hooks) hosted.delete(sessionId)
          await hooks.close(how)
        },
      }
    },
    async hook(given, signal) {
      const { session_id: id, hook_event_name: event } = given.hook
      const isBefore = event === 'PreToolUse'
      const call = isBefore ? { ...given, requestId: beforeId(given.requestId) } : given
      const finding = inTurn([id, nameOf(call.process)], () => runOf(call))
      if (isBefore) return (await (await finding)?.before(call, signal)) ?? NO_OPINION
      if (event === 'PermissionRequest') return (await (await finding)?.asked(call, signal)) ?? NOTHING
      finding
        .then((run) => run?.heard(call))
        .catch((error: unknown) => warn('terminal_not_reattached', { vendorSessionId: id, error: String(error) }))
      return NOTHING
    },
    close: watches.close,
  }
}

function nameOf({ pid, startedAt }: ProcessName): string {
  return `${pid} ${startedAt}`
}

/** When there are too many (I10). */
function forgetOldest(known: Map<string, unknown> | Set<string>) {
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
}
