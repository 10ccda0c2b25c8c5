import type { TerminalProgram } from '@holdpoint/agents/hosted/terminals'
import type { Records } from '@holdpoint/core/store'

/** By session: what runs in its terminal. */
const PROGRAMS = 'terminals'

/** What runs in a session's terminal, as it was recorded when it was started. */
export async function readTerminalProgram(records: Records, sessionId: string): Promise<TerminalProgram | undefined> {
  return (await records.get(PROGRAMS, sessionId)) as TerminalProgram | undefined
}

export function recordTerminalProgram(records: Records, sessionId: string, program: TerminalProgram): Promise<void> {
  return records.put(PROGRAMS, sessionId, program)
}

/** Its arguments may hold what a person wrote. */
export async function forgetTerminalProgram(records: Records, sessionId: string): Promise<void> {
  await records.remove(PROGRAMS, sessionId)
}
