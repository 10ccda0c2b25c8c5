import { basename, dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { type Hook, ProcessName } from './hook-call.ts'

/** Where an attached agent is to be found. Kept in the records: a new gateway goes on from it. */
export const TerminalPlace = z.object({
  vendorSessionId: z.string(),
  process: ProcessName,
  transcript: z.string().optional(),
  /** Where in the transcript our part of it begins. */
  from: z.int().default(0),
})
export type TerminalPlace = z.infer<typeof TerminalPlace>

/**
 * The transcript that a hook names, if it is one: `…/projects/<project>/<session id>.jsonl`. A path that leads anywhere
 * else is not read, whoever sent it.
 */
export function transcriptOf({ transcript_path: path, session_id: id }: Hook): string | undefined {
  if (path === undefined || !isAbsolute(path) || path.includes('\0')) return undefined
  if (path.split('/').includes('..')) return undefined
  return basename(path) === `${id}.jsonl` && basename(dirname(dirname(path))) === 'projects' ? path : undefined
}

/** Claude Code's folder, in which this transcript stands. */
export function configFolderOf(transcript: string): string {
  return dirname(dirname(dirname(transcript)))
}

/** The transcript of one of the session's subagents. */
export function subagentTranscript(transcript: string, agentId: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(agentId)) return undefined
  return join(transcript.slice(0, -'.jsonl'.length), 'subagents', `agent-${agentId}.jsonl`)
}
