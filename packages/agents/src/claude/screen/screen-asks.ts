import { join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import { DriverError, type DriverStart } from '@holdpoint/core/driver'
import { isYes } from '@holdpoint/core/is-yes'
import type { Ask, AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Terminal } from '../../terminal/terminal.ts'
import { gatedCall } from '../asks/ask-request.ts'
import { guardedFlags } from '../asks/hooked-call.ts'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { readTextFile } from '../asks/read-text-file.ts'
import { renewing } from '../asks/renewing.ts'
import { changeOf } from '../asks/what-changed.ts'
import type { SoughtCall } from '../attached/call-book.ts'
import { isSameInput } from '../attached/same-input.ts'
import type { CallEnd } from '../transcript/call-end.ts'
import type { EndedCall, OpenCall } from '../transcript/open-calls.ts'
import type { Conversation } from './conversation.ts'
import { type DialogGoal, goalOf, nextStep } from './dialog-keys.ts'
import { showsCall } from './dialog-match.ts'
import { askedIn, type ScreenDialog } from './screen-dialog.ts'

export interface ScreenAsksOptions {
  readonly start: DriverStart
  readonly terminal: Pick<Terminal, 'typeIf' | 'idleMs'>
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly conversation: Pick<Conversation, 'readNow' | 'isOpen' | 'cwd'>
  /** What the screen showed last. */
  readonly dialog: () => ScreenDialog | undefined
  /** Whether no other call without a result could be the one that the screen shows. */
  readonly isOnly: (call: OpenCall) => boolean
  /** An ask is over: what the screen shows may be the next one, which looks the same. */
  readonly onOver: () => void
  /** Whether the user's settings could want a person for a call each time. */
  readonly mayWantPerson: () => Promise<boolean>
  /** Where Claude Code keeps its plans. */
  readonly plansFolder: string
  readonly notice: (level: 'info' | 'error', text: string) => void
  readonly warn: LogFunction
  readonly signal: AbortSignal
}

interface OpenAsk {
  readonly call: OpenCall
  /** As it is on record: made anew where what it showed has changed. */
  request: AskRequest
  readonly withdrawn: AbortController
  outcome?: Outcome
  end?: CallEnd
  /** Its answer was on record before this gateway came upon it, which cannot tell whether that was typed. */
  readonly isEarlier: boolean
  /** What the dialog asked when the key was typed that decides it. */
  decided?: string
}

/** How long nobody must have typed before an answer is typed: two hands at one keyboard spoil both. */
const QUIET_MS = 800
const QUIET_DEADLINE_MS = 30_000
/** The most keys that an answer takes: four questions with twenty options each. */
const MAX_STEPS = 120
const STEP_MS = 3000
/** A key that changed nothing is pressed again, for a program that was not listening yet; a yes is not. */
const MAX_TRIES = 3
const CONFIRM_MS = 10_000
/** Claude Code leaves a key that comes with the dialog itself: it was meant for what was there before. */
const ARMED_MS = 1000
const LOOK_MS = 50
const MAY_BE_TYPED =
  'another call looks the same, and the answer may already have been typed before the gateway was restarted'

/** Asks that were read off a screen, and answers that are typed into it. */
export function createScreenAsks(options: ScreenAsksOptions) {
  const { start, terminal, clock, conversation, signal } = options
  const asks = new Map<string, OpenAsk>()
  /** Calls that have had their ask, or could not have one: each is asked about once. */
  const seen = new Set<string>()
  /** Those of them that are in hand now. */
  const taken = new Map<string, OpenCall>()
  const watchers = new Set<() => void>()
  let asked = { what: '', since: 0 }

  async function put(call: OpenCall) {
    const { toolUseId: toolUseID, name } = call
    const requestId = requestIdOf(call)
    const request = await made()
    if (!request)
      return options.notice(
        'info',
        'Claude Code shows a plan that Holdpoint could not read. Answer it in its terminal.',
      )
    if ('refusal' in request || signal.aborted || !conversation.isOpen(toolUseID)) return
    const earlier = await start.answered(requestId)
    // It runs, or is about to. What the screen shows is another call that looks the same (I1).
    if (earlier === 'delivered') return
    const ask: OpenAsk = { call, request, isEarlier: earlier !== undefined, withdrawn: new AbortController() }
    asks.set(toolUseID, ask)

    async function made() {
      const plan = name === 'ExitPlanMode' ? await planShown() : {}
      if (!plan) return undefined
      const input = { ...(call.input as ToolInput), ...plan }
      const context = { requestId, toolUseID, suggestions: [] } as Parameters<typeof gatedCall>[2]
      // In which folder it would run stands neither on the screen nor in the transcript: a shell may have led it elsewhere.
      return options.tools.toAsk(gatedCall(name, input, context, { from: subagentOf(call) }))
    }

    const renew = renewing(
      async () => (await made()) ?? { refusal: 'The plan can no longer be read.' },
      (next) => {
        ask.request = next
      },
    )
    try {
      const mayRuleAllow = await mayBeRuled(call)
      ask.outcome = await start.ask(request, { signal: ask.withdrawn.signal, renew, mayRuleAllow })
      const goal = goalOf(ask.request, ask.outcome)
      if (goal && !ask.end) await deliver(ask, goal)
    } catch (error) {
      // The next gateway reads the same screen, and finds the same ask.
      if (error instanceof DriverError && (error.code === 'detached' || error.code === 'agent-gone')) return
      options.warn('screen_ask_not_raised', { tool: name, error: String(error) })
    } finally {
      asks.delete(toolUseID)
    }
  }

  /**
   * A rule's yes is typed, and counts as a person's would. So there must be no way in which the user's settings or Claude
   * Code itself could want a person each time: the dialog looks the same then. A command is allowed by no rule here: the
   * folder is not known in which it would run.
   */
  async function mayBeRuled({ name, input }: OpenCall): Promise<boolean> {
    if (guardedFlags(name, input as ToolInput).suppressAlwaysAllowRule) return false
    if (options.tools.hasToAsk(name, input as ToolInput)) return false
    return !(await options.mayWantPerson())
  }

  /** The transcript has the call without the plan. What the terminal approves is what the plan's file holds. */
  async function planShown(): Promise<ToolInput | undefined> {
    const dialog = options.dialog()
    if (dialog?.kind !== 'plan' || dialog.fileName === undefined) return undefined
    const planFilePath = join(options.plansFolder, dialog.fileName)
    const read = await readTextFile(planFilePath)
    return 'text' in read ? { plan: read.text, planFilePath } : undefined
  }

  /** Types until the dialog is decided, looking at the screen before every key. */
  async function deliver(ask: OpenAsk, goal: DialogGoal) {
    const { title } = ask.request
    const how = await type(ask, goal)
    if (signal.aborted) return
    if (how !== 'typed') {
      // Somebody was faster at the terminal: what they chose is on record with the call's result.
      if (ask.end) return contradiction(ask)
      return options.notice('error', `Your answer to “${title}” was not typed: ${how}. Look at the terminal.`)
    }
    // A call that was allowed may run for hours; that its dialog is gone is what can be known now. All others end with it.
    const isDone = () => ask.end !== undefined || (goal.kind === 'allow' && !isShown(ask))
    if (!(await until(isDone, CONFIRM_MS)) && !signal.aborted) {
      const text = `Your answer to “${title}” was typed, but nothing confirms that it was accepted. Look at the terminal.`
      return options.notice('error', text)
    }
    if (contradiction(ask)) return
    start.delivered([ask.request.requestId])
  }

  /** What the transcript says against the outcome on record. */
  function contradiction({ request, outcome, end }: OpenAsk): boolean {
    if (!outcome || !end) return false
    const saysYes = isYes(outcome)
    const differs = saysYes ? end.kind === 'denied' : end.kind === 'ran'
    if (differs) {
      const [here, there] = saysYes ? ['yes', 'no'] : ['no', 'yes']
      options.notice(
        'error',
        `“${request.title}”: the answer in Holdpoint was ${here}, but at the terminal someone said ${there} first.`,
      )
    }
    return differs
  }

  async function type(ask: OpenAsk, goal: DialogGoal): Promise<string> {
    if (!(await until(() => terminal.idleMs >= QUIET_MS || ask.end !== undefined, QUIET_DEADLINE_MS))) {
      return 'someone was typing the whole time'
    }
    let hasTyped = false
    let tries = 0
    for (let step = 0; step < MAX_STEPS; step++) {
      // A call that looks the same may have taken its place: only the transcript tells them apart.
      await conversation.readNow()
      if (signal.aborted) return 'the gateway is shutting down'
      if (ask.end) return hasTyped ? 'typed' : 'it was answered at the terminal'
      const dialog = options.dialog()
      if (!dialog || !isShown(ask)) {
        // Between two questions the screen is empty for a moment.
        if (hasTyped && !(await until(() => isShown(ask), STEP_MS / 3))) return 'typed'
        if (hasTyped) continue
        return 'the terminal no longer shows it'
      }
      if (ask.isEarlier && !options.isOnly(ask.call)) return MAY_BE_TYPED
      const next = nextStep(dialog, goal)
      if ('cannot' in next) return next.cannot
      // A yes is pressed once. The next call may look the same to the last character, and come before this one's end is
      // written: better a yes that is lost, and said to be, than one that counts for a call that nobody was asked about.
      if (next.isLast && goal.kind === 'allow') {
        if (ask.decided !== undefined) return 'typed'
        if (clock.now() - asked.since < ARMED_MS) {
          await until(() => clock.now() - asked.since >= ARMED_MS, 2 * ARMED_MS)
          continue
        }
        // It was compared when the answer was taken, which may be half a minute ago.
        const changed = await changeOf(ask.request, { kind: 'allow' })
        if (changed !== undefined) return changed
        if (signal.aborted || ask.end || !isShown(ask)) continue
      }
      if (next.leavesOutMessage) {
        options.notice(
          'info',
          `The terminal accepts no message with a denial of “${ask.request.title}”. Your message was left out.`,
        )
      }
      const how = await terminal.typeIf(next.keys, dialog.lines)
      const isTyped = how !== 'refused'
      hasTyped ||= isTyped
      if (isTyped && next.isLast) ask.decided = askedIn(dialog)
      // It may yet be, or may have been: what is on the screen now says nothing about the next key.
      if (how === 'unknown') return next.isLast ? 'typed' : 'the terminal does not react'
      const isChanged = await until(() => options.dialog()?.lines.join('\n') !== dialog.lines.join('\n'), STEP_MS)
      if (isTyped && next.isLast && isChanged && !isShown(ask)) return 'typed'
      if (!isChanged && ++tries >= MAX_TRIES) return 'the terminal does not react'
    }
    return 'it takes too many keys'
  }

  /** One answer is for one dialog: the next one may look the same, and nobody was asked about that. */
  function isShown({ call, decided }: OpenAsk): boolean {
    const dialog = options.dialog()
    if (!dialog || !showsCall(dialog, call, conversation.cwd)) return false
    return decided === undefined || decided === askedIn(dialog)
  }

  /** Looked at whenever something changes. False when it has not come about in time. */
  function until(holds: () => boolean, milliseconds: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const deadline = clock.now() + milliseconds
      let cancel = () => {}
      const look = () => {
        cancel()
        const held = holds()
        if (!held && clock.now() < deadline && !signal.aborted) {
          cancel = clock.after(LOOK_MS, look)
          return
        }
        watchers.delete(look)
        resolve(held)
      }
      watchers.add(look)
      look()
    })
  }

  return {
    /** The screen and the transcript both say that this call waits for a person. */
    raise(call: OpenCall) {
      if (seen.has(call.toolUseId)) return
      seen.add(call.toolUseId)
      taken.set(call.toolUseId, call)
      void put(call)
        .catch((error: unknown) => options.warn('screen_ask_not_read', { error: String(error) }))
        .finally(() => {
          taken.delete(call.toolUseId)
          options.onOver()
        })
    },
    /** Whether this call is in hand here: then nobody else is to put it to people. */
    has({ toolUseId, name, input, agentId }: SoughtCall): boolean {
      if (toolUseId !== undefined) return taken.has(toolUseId)
      return [...taken.values()].some(
        (call) => call.name === name && call.agentId === agentId && isSameInput(input, call.input, conversation.cwd),
      )
    },
    /** Whether it was asked about here, and is not any more. */
    isOver: ({ toolUseId }: OpenCall) => seen.has(toolUseId) && !taken.has(toolUseId),
    /** The call is over, however that came about. */
    ended({ call, end }: EndedCall) {
      const ask = asks.get(call.toolUseId)
      if (!ask) return
      ask.end = end
      for (const look of [...watchers]) look()
      if (ask.outcome) return
      start
        .answeredElsewhere(ask.request.requestId, chosenAtTerminal(end))
        .catch((error: unknown) => options.warn('ask_not_withdrawn', { error: String(error) }))
    },
    notWaiting({ toolUseId }: OpenCall) {
      const ask = asks.get(toolUseId)
      // It runs: somebody let it.
      if (ask && !ask.outcome) void start.answeredElsewhere(ask.request.requestId, { kind: 'allow' }).catch(() => {})
    },
    screenChanged() {
      const dialog = options.dialog()
      const what = dialog ? askedIn(dialog) : ''
      if (what !== asked.what) asked = { what, since: clock.now() }
      for (const look of [...watchers]) look()
    },
    /** Why the terminal cannot be given an answer to this ask now. */
    async recheck({ requestId }: Ask): Promise<string | undefined> {
      await conversation.readNow()
      const ask = [...asks.values()].find(({ request }) => request.requestId === requestId)
      if (!ask) return 'The terminal is being read again. Try again in a moment.'
      if (ask.end) return 'This is no longer asked: it was answered at the terminal.'
      return isShown(ask) ? undefined : 'The terminal no longer shows this. Look at it before you answer.'
    },
  }
}

const PREFIX = 'terminal:'

/** The same after a restart: the call is found again, and its ask with it. */
export function requestIdOf({ toolUseId }: OpenCall): string {
  return `${PREFIX}${toolUseId}`
}

/** Whether an ask was read off a screen. What hooks bring has names without a colon. */
export function isOfScreen({ requestId }: Pick<AskRequest, 'requestId'>): boolean {
  return requestId.startsWith(PREFIX)
}

function subagentOf({ agentId }: OpenCall): { subagent?: string } {
  return agentId === undefined ? {} : { subagent: agentId }
}

/** What was chosen there, as an answer would say it. */
function chosenAtTerminal(end: CallEnd): Readonly<Record<string, unknown>> | undefined {
  if (end.kind === 'ran') return { kind: 'allow' }
  if (end.kind === 'denied') return { kind: 'deny', ...(end.message !== undefined && { message: end.message }) }
  return undefined
}
