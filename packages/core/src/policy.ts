import type { Verdict } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import type { ActionOfCall, WantedCall } from './driver.ts'

/** The rules in force. */
export interface Policy {
  /**
   * Looks up what a verdict on this call depends on, such as where its paths lead. The verdict is by the rules at the moment
   * in which it is asked for: a rule that was removed since the look allows nothing. Rejects if it cannot be looked up.
   */
  look(session: JudgedIn, call: JudgedCall): Promise<() => Verdict>
}

/** The session of a call, as far as rules depend on it. Without an id, rules of one session do not count. */
export type JudgedIn = Pick<Session, 'agent' | 'cwd' | 'trusted'> & Partial<Pick<Session, 'id' | 'epoch' | 'lifeEpoch'>>

export interface JudgedCall extends WantedCall, ActionOfCall {}
