import { stat } from 'node:fs/promises'
import type { Hook, HookCall } from './hook-call.ts'
import { isRunning } from './process-life.ts'
import { isDriven, readSessionRecord } from './session-record.ts'
import { configFolderOf, type TerminalPlace, transcriptOf } from './terminal-place.ts'

const NO_BEGINNING = new Set(['SessionEnd', 'SubagentStop', 'Notification'])

/** Hooks of other events tell nothing that a conversation would have to be taken up for. */
export function isBeginning({ hook_event_name: event }: Hook): boolean {
  return !NO_BEGINNING.has(event)
}

/** Where the conversation that a call is about is to be found; undefined for a process that is no terminal's, or not there. */
export async function placeOf({ hook, process }: HookCall): Promise<TerminalPlace | undefined> {
  if (!(await isRunning(process))) return undefined
  const transcript = transcriptOf(hook)
  const record = transcript === undefined ? undefined : await readSessionRecord(configFolderOf(transcript), process.pid)
  if (record && isDriven(record)) return undefined
  return {
    vendorSessionId: hook.session_id,
    process,
    ...(transcript !== undefined && { transcript }),
    from: await beginning(hook, transcript),
  }
}

/** A conversation that has just begun is ours from its first word; of another one, what comes from now on. */
async function beginning({ hook_event_name: event, source }: Hook, transcript: string | undefined): Promise<number> {
  if (transcript === undefined || (event === 'SessionStart' && (source === 'startup' || source === 'clear'))) return 0
  return stat(transcript).then(
    ({ size }) => size,
    () => 0,
  )
}
