import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Machines } from './machines.ts'

/** The sessions of all machines. What a person wants of an agent elsewhere is handed on whole, by its route. */
export function sessionsEverywhere(deps: {
  readonly sessions: Sessions
  readonly ledger: Ledger
  readonly machines: Machines
}): Sessions {
  const { sessions, ledger, machines } = deps
  return {
    ...sessions,
    async memoryBytes(id) {
      const to = machines.elsewhere(ledger.views().get(id)?.session)
      if (to === undefined) return sessions.memoryBytes(id)
      const result = await machines.call(to, { type: 'memory', session: id })
      return result.ok && typeof result.reply === 'number' ? result.reply : undefined
    },
  }
}
