import { LAST_SCREEN_CHARACTERS } from '@holdpoint/agents/terminal/helper-protocol'
import type { TerminalScreen } from '@holdpoint/agents/terminal/terminal'
import type { Records } from '@holdpoint/core/store'
import type { Session } from '@holdpoint/schema/session'

/** By session: how its terminal looked at its end. Any gateway of a log may show it. */
const LAST_SCREENS = 'last-screens'

interface LastScreen extends TerminalScreen {
  /** Of which life of the session. */
  readonly epoch: number
}

/** Keeps how a terminal looked at its end. One that is too large is not kept. */
export async function keepLastScreen(
  records: Records,
  { sessionId, epoch }: { readonly sessionId: string; readonly epoch: number },
  { data, cols, rows }: TerminalScreen,
): Promise<void> {
  if (data.length > LAST_SCREEN_CHARACTERS) return
  const last: LastScreen = { epoch, data, cols, rows }
  await records.put(LAST_SCREENS, sessionId, last)
}

/** How the terminal of an ended session looked; nothing of an earlier life. */
export async function readLastScreen(
  records: Records,
  session: Pick<Session, 'id' | 'epoch' | 'deleted'>,
): Promise<TerminalScreen | undefined> {
  if (session.deleted) return undefined
  const last = (await records.get(LAST_SCREENS, session.id)) as LastScreen | undefined
  return last?.epoch === session.epoch ? { data: last.data, cols: last.cols, rows: last.rows } : undefined
}

export async function forgetLastScreen(records: Records, sessionId: string): Promise<void> {
  await records.remove(LAST_SCREENS, sessionId)
}
