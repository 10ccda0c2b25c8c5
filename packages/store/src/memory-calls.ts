import { personDecision } from '@holdpoint/core/history'
import type { PastCalls } from '@holdpoint/core/policy/dry-run'
import type { KeptCall } from '@holdpoint/core/policy/kept-call'
import type { AllowedCalls } from '@holdpoint/core/policy/suggestions'
import type { PastCallQuery } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'

/** A settled ask of a tool call. */
export interface SettledCall {
  readonly ask: Ask
  readonly outcome: Outcome
  readonly session: Session
}

interface Kept extends SettledCall {
  readonly kept: KeptCall
  readonly decision: ReturnType<typeof personDecision>
}

/** `settled`: all settled asks, oldest first. */
export function createMemoryCalls(settled: () => readonly SettledCall[]) {
  const taken = new Map<AskId, KeptCall | undefined>()

  function kept(from: number): Kept[] {
    return settled().flatMap((each) => {
      const call = taken.get(each.ask.id)
      if (!call || each.outcome.at < from) return []
      return [{ ...each, kept: call, decision: personDecision(each.outcome) }]
    })
  }

  return {
    add(take: (ask: Ask) => KeptCall | undefined): void {
      for (const { ask } of settled()) {
        if (!taken.has(ask.id)) taken.set(ask.id, ask.kind === 'approval' ? take(ask) : undefined)
      }
    },
    past({ from, about }: PastCallQuery): readonly PastCalls[] {
      const fitting = kept(from).filter(({ kept: { about: words } }) => about === undefined || words.includes(about))
      return grouped(fitting, ({ kept: { text }, session }) => `${session.id} ${text}`).map((group) => {
        const { kept: call, session } = group[0]
        const { id: sessionId, cwd: project, trusted } = session
        const allowed = group.filter(({ decision }) => decision === 'allowed').length
        const denied = group.flatMap(({ ask, decision }) => (decision === 'denied' ? [ask.id] : []))
        return { call: call.text, project, sessionId, trusted, asks: group.length, allowed, denied }
      })
    },
    allowed({ min }: { min: number }): readonly AllowedCalls[] {
      const decided = kept(0).filter(({ decision, kept: { stem } }) => decision && stem !== undefined)
      const groups = (key: (each: Kept) => string) => grouped(decided, (each) => `${each.session.cwd} ${key(each)}`)
      const single = groups(({ kept: { text } }) => text).map((group) => allowedIn(group, undefined))
      const stems = groups(({ kept: { stem } }) => `${stem}`)
        .map((group) => allowedIn(group, group[0].kept.stem))
        .filter(({ calls }) => calls.length > 1)
      return [...single, ...stems].filter(({ allowed, isDenied }) => allowed >= min && !isDenied).map(withoutDenied)
    },
  }
}

type Group = readonly [Kept, ...Kept[]]

function grouped(entries: readonly Kept[], key: (entry: Kept) => string): Group[] {
  const groups = new Map<string, [Kept, ...Kept[]]>()
  for (const entry of entries) {
    const group = groups.get(key(entry))
    if (group) group.push(entry)
    else groups.set(key(entry), [entry])
  }
  return [...groups.values()]
}

type Counted = AllowedCalls & { readonly isDenied: boolean }

function allowedIn(group: Group, stem: string | undefined): Counted {
  const last = group.at(-1) ?? group[0]
  return {
    project: last.session.cwd,
    trusted: group.some(({ session }) => session.trusted),
    stem,
    calls: [...new Set(group.map(({ kept: { text } }) => text))],
    allowed: group.filter(({ decision }) => decision === 'allowed').length,
    latest: last.ask.id,
    isDenied: group.some(({ decision }) => decision === 'denied'),
  }
}

function withoutDenied({ isDenied, ...allowed }: Counted): AllowedCalls {
  return allowed
}
