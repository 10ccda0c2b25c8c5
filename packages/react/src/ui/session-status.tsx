import type { Session } from '@holdpoint/schema/session'

/** What a session is doing, in the words of every surface. */
export type SessionStatus =
  | 'starting'
  | 'working'
  | 'waiting'
  | 'may-wait'
  | 'your-turn'
  | 'parked'
  | 'ended'
  | 'failed'
  | 'frozen'

export function statusOf(session: Session): SessionStatus {
  if (session.state === 'dead') return session.error ? 'failed' : 'ended'
  if (session.frozen) return 'frozen'
  if (session.openAsks > 0) return 'waiting'
  if (session.mayWait) return 'may-wait'
  if (session.state === 'starting') return 'starting'
  if (session.parkedAt !== undefined) return 'parked'
  return session.state === 'user_turn' ? 'your-turn' : 'working'
}

const WORDS: Readonly<Record<SessionStatus, string>> = {
  starting: 'starting',
  working: 'working',
  waiting: 'needs answer',
  'may-wait': 'may need an answer in its terminal',
  'your-turn': 'idle',
  parked: 'idle, parked',
  ended: 'ended',
  failed: 'failed',
  frozen: 'frozen by an alarm',
}

const DOTS: Readonly<Record<SessionStatus, string>> = {
  starting: 'bg-accent animate-pulse motion-reduce:animate-none',
  working: 'bg-accent',
  waiting: 'bg-wait ring-3 ring-wait-bg',
  'may-wait': 'bg-wait',
  'your-turn': 'bg-allow',
  parked: 'border-2 border-allow',
  ended: 'border-2 border-edge',
  failed: 'bg-deny',
  frozen: 'bg-deny ring-3 ring-deny-bg',
}

export function statusWords(status: SessionStatus): string {
  return WORDS[status]
}

/** Always next to its words: the colour alone says nothing to many. */
export function StatusDot({ status }: { status: SessionStatus }) {
  return <span aria-hidden className={`inline-block size-2 shrink-0 rounded-full ${DOTS[status]}`} />
}
