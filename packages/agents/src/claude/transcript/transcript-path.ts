import { basename } from 'node:path'
import type { Below } from './folder-tree.ts'

const EXTENSION = '.jsonl'

/** Whose words a file holds. */
export interface TranscriptOwner {
  readonly sessionId: string
  /** Of the subagent whose transcript it is. */
  readonly agentId?: string
}

/**
 * `<project>/<session>.jsonl`, and `<project>/<session>/subagents/…/agent-<id>.jsonl` for its subagents. Undefined for
 * any other file.
 */
export function transcriptOwner(below: Below): TranscriptOwner | undefined {
  const [, session = '', folder] = below
  const name = below.at(-1) ?? ''
  if (!name.endsWith(EXTENSION)) return undefined
  if (below.length === 2) return { sessionId: basename(session, EXTENSION) }
  if (folder !== 'subagents' || !name.startsWith('agent-')) return undefined
  return { sessionId: session, agentId: name.slice('agent-'.length, -EXTENSION.length) }
}

const DEEPEST = 5

/** Whether there can be transcripts in it, at any depth. */
export function holdsTranscripts(below: Below): boolean {
  if (below.length > DEEPEST) return false
  return below.length < 3 || below[2] === 'subagents'
}
