import type { AskKind } from '@holdpoint/schema/ask'
import type { Session, StartSession } from '@holdpoint/schema/session'
import type { KindLimit, Limit, LimitPlace, TimeLimit } from '@holdpoint/schema/time-limit'

type Limits = Pick<Session, 'askTimeoutMs' | 'onTimeout' | 'timeLimits'>
type OwnLimits = Pick<StartSession, 'askTimeoutMs' | 'onTimeout' | 'timeLimits'>

const KINDS = { approval: true, question: true, plan: true, form: true } as const satisfies Record<AskKind, true>
const NEVER: Limit = { afterMs: null, onTimeout: 'deny' }

/** How long this kind of ask may wait in a session. */
export function limitIn({ askTimeoutMs, onTimeout, timeLimits = [] }: Limits, kind: AskKind): Limit {
  return timeLimits.find((limit) => limit.kind === kind) ?? { afterMs: askTimeoutMs ?? null, onTimeout }
}

/**
 * The limit for sessions of a project that have none of their own: a project's before one for all projects, and of each
 * that of the kind before that of all kinds.
 */
export function limitFor(limits: readonly TimeLimit[], { project, kind }: LimitPlace): Limit {
  const places: LimitPlace[] = [{ project, kind }, { project }, { kind }, {}]
  const found = places.flatMap((place) => limits.filter((limit) => isAt(limit, place)))[0]
  return found ? { afterMs: found.afterMs, onTimeout: found.onTimeout } : NEVER
}

/** The limits that a session starts with, and keeps: its own before what is set. */
export function startLimits(own: OwnLimits, project: string, limits: readonly TimeLimit[]): Limits {
  const all = ownOr(own, limitFor(limits, { project }))
  const kinds = (Object.keys(KINDS) as AskKind[]).flatMap((kind): KindLimit[] => {
    const mine = own.timeLimits?.find((limit) => limit.kind === kind)
    const limit = mine ?? ownOr(own, limitFor(limits, { project, kind }))
    return isSame(limit, all) ? [] : [{ kind, afterMs: limit.afterMs, onTimeout: limit.onTimeout }]
  })
  return {
    ...(all.afterMs !== null && { askTimeoutMs: all.afterMs }),
    onTimeout: all.onTimeout,
    ...(kinds.length > 0 && { timeLimits: kinds }),
  }
}

/** A session may say how long, or what happens then, or both. */
function ownOr({ askTimeoutMs, onTimeout }: OwnLimits, set: Limit): Limit {
  if (askTimeoutMs !== undefined) return { afterMs: askTimeoutMs, onTimeout: onTimeout ?? 'deny' }
  return { afterMs: set.afterMs, onTimeout: onTimeout ?? set.onTimeout }
}

export function isAt(limit: LimitPlace, { project, kind }: LimitPlace): boolean {
  return limit.project === project && limit.kind === kind
}

function isSame(one: Limit, other: Limit): boolean {
  return one.afterMs === other.afterMs && one.onTimeout === other.onTimeout
}
