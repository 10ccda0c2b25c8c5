import type { Session } from '@holdpoint/schema/session'
import type { SessionView } from './session-view.ts'

export type SessionRefusal =
  | 'not_found'
  | 'session_ended'
  | 'session_alive'
  | 'session_deleted'
  | 'session_frozen'
  | 'unknown_agent'
  | 'not_supported'
  | 'not_queued'
  | 'not_idle'
  | 'too_many_queued'
  | 'agent_refused'
  | 'machine_unreachable'
  | 'retry_mismatch'

export type SessionResult<Value> = { ok: true; value: Value } | { ok: false; refusal: SessionRefusal; message?: string }

/** Why a session takes no commands, if it takes none. */
export function refusesCommands(view: SessionView | undefined): SessionRefusal | undefined {
  if (!view) return 'not_found'
  if (view.session.state === 'dead') return 'session_ended'
  return view.session.frozen ? 'session_frozen' : undefined
}

/** Its agent was not started here: this gateway only speaks with it. */
export function runsElsewhere(session: Session): boolean {
  return session.embedded === true || session.attached === true
}

/** People cannot write to it from here. */
export function takesNoMessages(session: Session): boolean {
  return runsElsewhere(session) && session.takesMessages !== true
}

export const TYPED = {
  ok: false,
  refusal: 'not_supported',
  message: 'this program only accepts what is typed in its terminal',
} as const

export function notOurs({ session }: SessionView): { ok: false; refusal: 'not_supported'; message: string } {
  const message = session.embedded
    ? 'this agent runs inside another program, and only that program can do this'
    : session.attached
      ? 'this agent runs in a terminal, and this can only be done there'
      : 'this agent does not run inside another program'
  return { ok: false, refusal: 'not_supported', message }
}
