import type { SessionId } from '@holdpoint/schema/id'

/** The log kept moving under a decision, or it holds what the decision would add already. */
export class LedgerConflict extends Error {
  readonly code = 'conflict'
  constructor(sessionId: SessionId) {
    super(`the log of ${sessionId} rejected this change`)
    this.name = 'LedgerConflict'
  }
}

/** The gateway is going down: nothing more is decided here. */
export class LedgerClosed extends Error {
  readonly code = 'closing'
  constructor() {
    super('the gateway is shutting down')
    this.name = 'LedgerClosed'
  }
}
