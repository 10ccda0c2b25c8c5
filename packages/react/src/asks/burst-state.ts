import { whyAlone } from '@holdpoint/core/allowed-alone'
import type { Ask, AskKind } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import { yesNeedsItsMachine } from '../machines/yes-needs-machine.ts'

/** More than this many whole calls in one dialog are not read by anybody. */
export const MOST_AT_ONCE = 50

export interface BurstSelection {
  /** Ticked asks by id, with the digest that was on screen when they were ticked. */
  readonly ticked: ReadonlyMap<string, string>
  /** Asks whose whole content was on screen, with that digest. */
  readonly endSeen: ReadonlyMap<string, string>
}

export type BurstEvent =
  | { readonly type: 'ticked'; readonly asks: readonly Ask[]; readonly selected: boolean }
  | { readonly type: 'end-seen'; readonly ask: Ask }
  /** These are shown now. What is not shown is not answered with others: its tick goes. */
  | { readonly type: 'shown'; readonly asks: readonly Ask[] }
  | { readonly type: 'cleared' }

export const NO_BURST: BurstSelection = { ticked: new Map(), endSeen: new Map() }

export function burstReducer(state: BurstSelection, event: BurstEvent): BurstSelection {
  switch (event.type) {
    case 'ticked': {
      const ticked = new Map(state.ticked)
      for (const ask of event.asks.filter(canBeTicked)) {
        if (event.selected) ticked.set(ask.id, ask.digest)
        else ticked.delete(ask.id)
      }
      return { ...state, ticked }
    }
    case 'end-seen':
      return { ...state, endSeen: new Map(state.endSeen).set(event.ask.id, event.ask.digest) }
    case 'shown': {
      const shown = new Map(event.asks.map((ask) => [ask.id as string, ask.digest]))
      const [ticked, endSeen] = [stillIn(state.ticked, shown), stillIn(state.endSeen, shown)]
      return ticked === state.ticked && endSeen === state.endSeen ? state : { ticked, endSeen }
    }
    case 'cleared':
      return state.ticked.size === 0 ? state : { ...state, ticked: new Map() }
    default:
      return event satisfies never
  }
}

function stillIn(kept: ReadonlyMap<string, string>, shown: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const left = [...kept].filter(([id, digest]) => shown.get(id) === digest)
  return left.length === kept.size ? kept : new Map(left)
}

export function canBeTicked(ask: Ask): boolean {
  return whyNotTicked(ask) === undefined
}

const ALONE: Readonly<Record<Exclude<AskKind, 'approval'>, string>> = {
  question: 'A question cannot be selected. Answer it on its card.',
  plan: 'A plan cannot be selected. Answer it on its card.',
  form: 'A form cannot be selected. Answer it on its card.',
}

/** Why an ask can only be answered on its own. */
export function whyNotTicked({ kind, omitted }: Ask): string | undefined {
  if (kind !== 'approval') return ALONE[kind]
  // A tick is bound to what the list holds, which is not all of it.
  return omitted === undefined ? undefined : 'A call as large as this cannot be selected. Answer it on its card.'
}

export interface LeftOut {
  readonly ask: Ask
  /** Why it is not allowed together with others. */
  readonly why: string
}

export interface BurstView {
  /** Ticked and still open, by the digest that was ticked. All of them can be denied. */
  readonly chosen: readonly Ask[]
  /** Those of them that can be allowed in one go: calls of one tool. None while there are calls of several. */
  readonly allowed: readonly Ask[]
  readonly leftOut: readonly LeftOut[]
  /** The tools that calls of this selection could be allowed of, and how many calls of each. */
  readonly tools: readonly { readonly name: string; readonly asks: readonly Ask[] }[]
}

type IsSession = (id: SessionId) => boolean

/** An ask that differs from the others must not be allowed among them by accident (T31). */
export function burstView(
  asks: readonly Ask[],
  { ticked }: Pick<BurstSelection, 'ticked'>,
  isFrozen: IsSession,
  isAway: IsSession,
): BurstView {
  const chosen = asks.filter((ask) => canBeTicked(ask) && ticked.get(ask.id) === ask.digest)
  const leftOut: LeftOut[] = []
  const byTool = new Map<string, Ask[]>()
  for (const ask of chosen) {
    const why = whyLeftOut(ask, isFrozen, isAway)
    const name = ask.tool?.name ?? ''
    if (why !== undefined) leftOut.push({ ask, why })
    else byTool.set(name, [...(byTool.get(name) ?? []), ask])
  }
  const tools = [...byTool].map(([name, calls]) => ({ name, asks: calls }))
  const [only, another] = tools
  return { chosen, allowed: only && !another ? only.asks.slice(0, MOST_AT_ONCE) : [], leftOut, tools }
}

function whyLeftOut(ask: Ask, isFrozen: IsSession, isAway: IsSession): string | undefined {
  if (!ask.tool) return 'names no tool'
  if (isFrozen(ask.sessionId)) return 'its session is frozen by an alarm'
  if (isAway(ask.sessionId) && yesNeedsItsMachine(ask)) return 'its machine is not reachable'
  const alone = whyAlone(ask)
  switch (alone) {
    case 'opens-on-no':
      return 'marked as high risk (default: No)'
    case 'refused':
      return 'refused by the agent’s own check'
    case 'result-unknown':
      return 'what it will write is unknown'
    case undefined:
      return undefined
    default:
      return alone satisfies never
  }
}

export interface Batch {
  /** Of what was put before the person: what is still open, exactly as it was. */
  readonly open: readonly Ask[]
  /** Those of them that were not on screen to their end. While there is one, none is allowed (T26). */
  readonly unseen: readonly Ask[]
  /** All ids and digests: another set is another decision. */
  readonly decision: string
}

/** What is left of a batch that a person is asked to confirm. Nothing is ever added to it. */
export function batchOf(
  shown: readonly Ask[],
  stillOpen: (ask: Ask) => Ask | undefined,
  { endSeen }: Pick<BurstSelection, 'endSeen'>,
): Batch {
  const open = shown.filter((ask) => stillOpen(ask)?.digest === ask.digest)
  return {
    open,
    unseen: open.filter((ask) => endSeen.get(ask.id) !== ask.digest),
    decision: open.map((ask) => `${ask.id} ${ask.digest}`).join('\n'),
  }
}
