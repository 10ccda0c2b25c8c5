import type { DiskLook } from '@holdpoint/core/disk-look'
import { incompleteAsk } from '@holdpoint/core/incomplete-ask'
import { type AskKind, AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Outcome } from '@holdpoint/schema/outcome'
import { diskLook } from '../../files/disk-look.ts'
import { type GatedCall, toolRequest } from './ask-request.ts'
import { askUserQuestion } from './ask-user-question.ts'
import { boundFiles } from './bound-files.ts'
import { contentOf } from './content-of.ts'
import { exitPlanMode } from './exit-plan-mode.ts'
import { inTime } from './in-time.ts'
import type { AnsweredEntry, InteractiveTool, NotAsked, ToolEntry } from './interactive-tool.ts'
import { toolApproval } from './tool-approval.ts'

/** The entries, the added ones first. Whatever one of them does wrong, a call is asked about plainly or refused (I4). */
export interface InteractiveTools {
  /**
   * What a person is asked about this call, or why nobody is. `plainly`: as a call to allow or deny, whatever entry takes
   * it, because that is what a rule denies. `disk`: what was looked up for this call a moment ago.
   */
  toAsk(call: GatedCall, how?: { readonly plainly?: boolean; readonly disk?: DiskLook }): Promise<AskRequest | NotAsked>
  /** The input that goes back for a yes. Throws where there is no such thing: that is a no. */
  approvedInput(ask: AskRequest, outcome: Outcome): ToolInput
  /** What the watch has to compare with what ran: undefined where nothing runs with it, null where nothing may. */
  watchedInput(ask: AskRequest, outcome: Outcome): ToolInput | null | undefined
  /** Whether an added entry takes this call: then it has to ask, whatever the agent's own rules say. */
  hasToAsk(name: string, input: ToolInput): boolean
}

type Entry = ToolEntry<AskKind> | AnsweredEntry<AskKind>

/** Claude Code answers these by itself, with the input that it gets: there is nothing that runs. */
const OWN: readonly AnsweredEntry<AskKind>[] = [askUserQuestion, exitPlanMode]

/** The outcome that is a yes to an ask of this kind. */
const YES = { approval: 'allowed', plan: 'allowed', question: 'answered', form: 'answered' } as const satisfies Record<
  AskKind,
  Outcome['kind']
>

export function createInteractiveTools(
  added: readonly InteractiveTool[] = [],
  warn: LogFunction = () => {},
): InteractiveTools {
  const guardedEntries = added.map(guarded)
  const entries: readonly Entry[] = [...guardedEntries, ...OWN]

  function takes(entry: Entry, name: string, input: ToolInput, inDoubt = false): boolean {
    try {
      return entry.matches(name, input) === true
    } catch (error) {
      warn('interactive_tool_match_failed', { entry: entry.name, error: String(error) })
      return inDoubt
    }
  }

  async function plainly(given: GatedCall, disk: DiskLook): Promise<AskRequest> {
    // The folder nearly always is where its name says: its files need not wait for that look.
    const [call, named] = await Promise.all([inRealFolder(given, disk), boundFiles(given, disk)])
    const bound = call.cwd === given.cwd ? named : await boundFiles(call, disk)
    return toolRequest(call, 'approval', toolApproval.toAsk(call), bound)
  }

  /** What an answer to this ask is worked into the input by. */
  function answering(ask: AskRequest): Pick<AnsweredEntry<AskKind>, 'fromOutcome'> | undefined {
    const { kind, tool } = ask
    // Whichever entry drew it: what was allowed is what was shown (I6).
    if (kind === 'approval') return toolApproval
    const entry = entries.find(
      (candidate) => candidate.kind === kind && tool && takes(candidate, tool.name, tool.input),
    )
    return entry && 'fromOutcome' in entry ? entry : undefined
  }

  function approvedInput(ask: AskRequest, outcome: Outcome): ToolInput {
    if (outcome.kind !== YES[ask.kind]) throw new Error(`a ${ask.kind} cannot be ${outcome.kind}`)
    const entry = answering(ask)
    if (!entry) throw new Error(`there is no way to answer a ${ask.kind} for this tool`)
    const { cwd } = ask.context
    const answered = { input: ask.tool?.input ?? {}, ...(cwd !== undefined && { cwd }), ...contentOf(ask) }
    return entry.fromOutcome(answered, outcome)
  }

  return {
    async toAsk(given, { plainly: isPlain = false, disk = diskLook() } = {}) {
      // Schemas drop this key: the card would show less than what runs.
      if (Object.hasOwn(given.input, '__proto__')) {
        return { refusal: 'The input has a field named __proto__, which cannot be shown. Nobody was asked.' }
      }
      const entry = entries.find((candidate) => takes(candidate, given.name, given.input))
      if (!entry || isPlain) return plainly(given, disk)
      const call = await inRealFolder(given, disk)
      try {
        const part = await entry.toAsk(call)
        if ('refusal' in part) return { refusal: String(part.refusal) }
        // Whoever draws it: what a yes acts on is bound to it. Other kinds hand over an input of their own.
        const bound = entry.kind === 'approval' ? await boundFiles(call) : undefined
        return complete(toolRequest(call, entry.kind, part, bound))
      } catch (error) {
        warn('interactive_tool_ask_failed', {
          entry: entry.name,
          tool: call.name,
          error: String(error),
        })
        // It may have taken seconds: what was looked at before may have changed.
        return plainly(call, diskLook())
      }
    },
    approvedInput,
    watchedInput(ask, outcome) {
      // A server's own form: no call was held for it.
      if (!ask.tool) return undefined
      const entry = answering(ask)
      if (OWN.some((own) => own === entry)) return undefined
      try {
        return approvedInput(ask, outcome)
      } catch {
        return null
      }
    },
    hasToAsk: (name, input) => guardedEntries.some((entry) => takes(entry, name, input, true)),
  }
}

/** An entry that somebody else wrote: it gets copies, has ten seconds, and what it says is what can be stored of it. */
function guarded(entry: InteractiveTool): Entry {
  const { name, kind } = entry
  const guardedEntry: ToolEntry<AskKind> = {
    name,
    kind,
    matches: (toolName, input) => entry.matches(toolName, asJson(input)),
    async toAsk({ name: toolName, input, cwd, blockedPath }) {
      const call = {
        name: toolName,
        input: asJson(input),
        ...(cwd !== undefined && { cwd }),
        ...(blockedPath !== undefined && { blockedPath }),
      }
      return asJson(await inTime(Promise.resolve(entry.toAsk(call)), name))
    },
  }
  if (!('fromOutcome' in entry)) return guardedEntry
  return {
    ...guardedEntry,
    // Checked before it is copied: a promise, for instance, would be an empty object afterwards.
    fromOutcome: (ask, outcome) => asJson(ToolInput.parse(entry.fromOutcome(asJson(ask), asJson(outcome)))),
  }
}

/** Throws unless it is an ask that a person can be shown, and answer. */
function complete(request: AskRequest): AskRequest {
  AskRequest.parse(request)
  const missing = incompleteAsk(request)
  if (missing !== undefined) throw new Error(missing)
  return request
}

/** As it will be after it was stored. */
function asJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}

/**
 * Claude Code reports a folder by its path, and another one may have taken its place since, by a link. What is shown,
 * bound and remembered is the one that the call would act in. One that is not there is not known.
 */
async function inRealFolder({ cwd, ...call }: GatedCall, disk: DiskLook): Promise<GatedCall> {
  const real = cwd === undefined ? undefined : await disk.realPath(cwd)
  return { ...call, ...(typeof real === 'string' && { cwd: real }) }
}
