import type { AgentLine } from '../asks/agent-line.ts'

/** Lines that the SDK hands on, so that their effect is committed before the host may forget them. */
const HANDED_ON = new Set(['assistant', 'user', 'system', 'result'])
/** How many lines without effect may pass before they are acknowledged together. */
const ACK_EVERY = 64

/**
 * Knows up to which line of the agent's output everything is committed. The SDK hands messages on in the order of
 * their lines, so when one is committed, those before it are done too, also those that it kept to itself.
 */
export function createLineProgress(start: number) {
  const pending: { uuid: string; line: number }[] = []
  let last = start
  let acknowledged = start

  const covered = () => (pending[0] ? pending[0].line - 1 : last)

  return {
    /** A line arrives. Says up to where to acknowledge, if it is time to. */
    arrived(line: number, message: AgentLine | undefined): number | undefined {
      last = Math.max(last, line)
      const uuid = message && handedOnUuid(message)
      if (uuid !== undefined) pending.push({ uuid, line })
      if (covered() - acknowledged < ACK_EVERY) return undefined
      acknowledged = covered()
      return acknowledged
    },
    /** Whether everything that was handed on is committed. */
    isUpToDate: () => pending.length === 0,
    /** The line of a message, if it has one that is not committed yet. */
    lineOf: (uuid: string): number | undefined => pending.find((entry) => entry.uuid === uuid)?.line,
    /** The message's effect is durable. Says up to where to acknowledge. */
    committed(uuid: string): number {
      const index = pending.findIndex((entry) => entry.uuid === uuid)
      pending.splice(0, index + 1)
      acknowledged = covered()
      return acknowledged
    },
  }
}

function handedOnUuid({ type, subtype, uuid }: AgentLine): string | undefined {
  const kept = typeof type !== 'string' || !HANDED_ON.has(type) || subtype === 'session_state_changed'
  return kept || typeof uuid !== 'string' ? undefined : uuid
}
