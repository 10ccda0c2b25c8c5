import { inTime } from '@holdpoint/agents/claude/asks/in-time'
import type { AttachedQuery } from './holdpoint.ts'

/** Bounded: an agent that does not stop when it is told to is ended. */
export async function interruptQuery(query: AttachedQuery): Promise<void> {
  try {
    await inTime(query.interrupt())
  } catch {
    query.close()
  }
}
