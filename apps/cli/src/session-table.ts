import { homedir } from 'node:os'
import { sep } from 'node:path'
import type { Session } from '@holdpoint/schema/session'
import { shortId } from './abbreviation.ts'
import { shortenedAtStart, type Width } from './console/fence.ts'
import { tableLines } from './console/table.ts'
import { terminalText } from './console/terminal-text.ts'
import { ageWords } from './console/time-words.ts'
import { machineWord, type SessionMachines } from './session-machines.ts'
import { HOSTED_AGENT } from './terminal-agents.ts'

const WIDE = 100
const FOLDER_COLUMNS = { narrow: 20, wide: 32 }

const STATES: Readonly<Record<Session['state'], string>> = {
  starting: 'starting',
  assistant_turn: 'working',
  user_turn: 'idle',
  dead: 'ended',
}

/** Sessions, one line each. What does not fit is cut with a mark: of a folder the beginning, of a title the end. */
export function sessionTable(
  sessions: readonly Session[],
  options: { now: number; machines?: SessionMachines } & Width,
): string[] {
  const { machines } = options
  const ids = sessions.map(({ id }) => id)
  const rows = sessions.map((session) => [
    shortId(session.id, ids),
    `${stateWord(session)} ${ageWords(options.now - session.stateChangedAt)}`,
    ...(machines ? [machineWord(machines, session.id)] : []),
    terminalText(session.agent),
    session.openAsks === 0 ? '-' : String(session.openAsks),
    folderWords(session.cwd, options),
    terminalText(session.title),
  ])
  return tableLines(
    ['ID', 'STATE', ...(machines ? ['MACHINE'] : []), 'AGENT', 'ASKS', 'FOLDER', 'TITLE'],
    rows,
    options,
  )
}

function stateWord({ state, frozen, agent, openAsks, mayWait, parkedAt }: Session): string {
  if (state === 'dead') return STATES.dead
  if (frozen) return 'frozen'
  if (openAsks > 0) return 'needs answer'
  if (mayWait) return 'may need answer'
  if (parkedAt !== undefined) return 'parked'
  // Whether a program in a terminal works or waits, only its screen tells.
  return agent === HOSTED_AGENT && state === 'assistant_turn' ? 'running' : STATES[state]
}

function folderWords(folder: string, { columns }: Width): string {
  const home = homedir()
  const isUnderHome = folder === home || folder.startsWith(home + sep)
  const shown = terminalText(isUnderHome ? `~${folder.slice(home.length)}` : folder)
  if (columns === undefined) return shown
  return shortenedAtStart(shown, columns < WIDE ? FOLDER_COLUMNS.narrow : FOLDER_COLUMNS.wide)
}
