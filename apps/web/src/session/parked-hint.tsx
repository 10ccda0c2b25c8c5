import type { Session } from '@holdpoint/schema/session'

/** Says why the next answer takes a moment longer: the agent's process was ended to save memory. */
export function ParkedHint({ session }: { session: Session }) {
  if (session.parkedAt === undefined) return null
  return (
    <p className="px-2 text-[13px] text-quiet">
      The agent is parked. Your next message starts it again, in about a second.
    </p>
  )
}
