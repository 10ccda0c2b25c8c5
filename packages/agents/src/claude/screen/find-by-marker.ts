import type { Clock } from '@holdpoint/core/clock'
import type { Terminal } from '../../terminal/terminal.ts'
import { HOLD_MS } from '../../terminal/writer-rule.ts'
import { findSessionByMarker } from '../transcript/find-session-file.ts'
import type { SessionFile } from '../transcript/session-files.ts'
import { markerMessage } from './marker.ts'
import { type NotNow, readPromptBox, whyNotNow } from './prompt-box.ts'

export type MarkerRefusal = NotNow | 'typing' | 'changing' | 'unsent' | 'ended'

export type MarkerResult =
  | { readonly found: SessionFile }
  /** It was typed and sent, and stands in none of the files that were looked at. */
  | { readonly found: undefined }
  | { readonly refusal: MarkerRefusal }

export interface MarkerSearch {
  readonly terminal: Pick<Terminal, 'typeIf' | 'idleMs'>
  /** What is on the screen, as it was told last. */
  readonly screen: () => readonly string[]
  readonly projects: string
  readonly marker: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

const QUIET_DEADLINE_MS = 10_000
const SHOWN_MS = 3000
const SEARCH_MS = 15_000
const LOOK_MS = 100
/** The screen can change in the moment between its reading and the typing, with nothing amiss. */
const MAX_TRIES = 3

/** Says a marker in the conversation of a terminal and finds the file in which it is said. */
export async function findByMarker(search: MarkerSearch): Promise<MarkerResult> {
  const { projects, marker, signal } = search
  // Asked again, after an answer that was lost on its way: then it has been said.
  const before = await findSessionByMarker(projects, marker)
  if (before) return { found: before }
  const refusal = await say(search)
  if (refusal) return { refusal }
  let found: SessionFile | undefined
  await until(search, SEARCH_MS, async () => {
    found = await findSessionByMarker(projects, marker)
    return found !== undefined
  })
  return signal.aborted && !found ? { refusal: 'ended' } : { found }
}

/** Why it was not said. Until the last key nothing has happened but that words stand in the prompt. */
async function say(search: MarkerSearch): Promise<MarkerRefusal | undefined> {
  const { terminal, screen, marker, signal } = search
  const message = markerMessage(marker)
  const now = whyNotNow(screen())
  if (now) return now
  if (!(await until(search, QUIET_DEADLINE_MS, () => terminal.idleMs >= HOLD_MS))) {
    return signal.aborted ? 'ended' : 'typing'
  }
  for (let tries = 1; ; tries++) {
    const lines = screen()
    const why = whyNotNow(lines)
    if (why) return why
    // All of the screen, and not the prompt alone: nothing at all may have changed since it was read.
    if ((await terminal.typeIf(message, lines)) !== 'refused') break
    if (signal.aborted) return 'ended'
    if (tries === MAX_TRIES) return 'changing'
    await pause(search)
  }
  // Whoever types in between is noticed: then other words stand there.
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    if (!(await until(search, SHOWN_MS, () => isWritten(screen(), message)))) break
    const lines = screen()
    if (isWritten(lines, message) && (await terminal.typeIf('\r', lines)) !== 'refused') return undefined
  }
  return signal.aborted ? 'ended' : 'unsent'
}

function isWritten(screen: readonly string[], message: string): boolean {
  const box = readPromptBox(screen)
  return box !== undefined && !box.isWorking && squashed(box.text) === squashed(message)
}

/** The screen breaks lines where it likes. */
function squashed(text: string): string {
  return text.replace(/\s+/g, '')
}

async function until(
  search: MarkerSearch,
  milliseconds: number,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const deadline = search.clock.now() + milliseconds
  for (;;) {
    if (search.signal.aborted) return false
    if (await holds()) return true
    if (search.clock.now() >= deadline) return false
    await pause(search)
  }
}

function pause({ clock, signal }: MarkerSearch): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(LOOK_MS, wake)
    signal.addEventListener('abort', wake, { once: true })
  })
}
