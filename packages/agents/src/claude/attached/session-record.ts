import { join } from 'node:path'
import { z } from 'zod'
import { openFile, readAt } from '../../files/open-file.ts'

const MAX_BYTES = 64 * 1024

const Fields = z.object({
  sessionId: z.string(),
  procStart: z.string().regex(/^\d+$/).optional().catch(undefined),
  entrypoint: z.string().optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  statusUpdatedAt: z.number().optional().catch(undefined),
})

/** What Claude Code notes about each of its processes in `sessions/<pid>.json`, for its own list of agents. */
export interface SessionRecord {
  readonly sessionId: string
  /** Of the process: with its pid it names one. */
  readonly startTime?: number
  /** `cli` in a terminal, `sdk-cli` for a single prompt; programs that drive Claude Code have names of their own. */
  readonly entrypoint?: string
  /** `waiting` while a dialog is on the screen; `busy` and `idle` otherwise. */
  readonly status?: string
  readonly statusAt?: number
}

/** Whether a program drives this process and is asked by it: the gateway itself is such a program. */
export function isDriven({ entrypoint }: Pick<SessionRecord, 'entrypoint'>): boolean {
  return entrypoint === 'sdk-ts' || entrypoint === 'sdk-py'
}

/** Whether its status tells of dialogs: a single prompt (`-p`) shows none, and is `busy` while it asks. */
export function hasScreen({ entrypoint, status }: Pick<SessionRecord, 'entrypoint' | 'status'>): boolean {
  return status !== undefined && entrypoint !== 'sdk-cli'
}

export function recordPath(configFolder: string, pid: number): string {
  return join(configFolder, 'sessions', `${pid}.json`)
}

/** Undefined where there is none, as with versions that do not write it, or none that can be read just now. */
export async function readSessionRecord(configFolder: string, pid: number): Promise<SessionRecord | undefined> {
  const file = await openFile(recordPath(configFolder, pid))
  if (!file) return undefined
  try {
    const parsed = Fields.safeParse(JSON.parse((await readAt(file.handle, 0, MAX_BYTES)).toString('utf8')))
    if (!parsed.success) return undefined
    const { sessionId, procStart, entrypoint, status, statusUpdatedAt } = parsed.data
    return {
      sessionId,
      ...(procStart !== undefined && { startTime: Number(procStart) }),
      ...(entrypoint !== undefined && { entrypoint }),
      ...(status !== undefined && { status }),
      ...(statusUpdatedAt !== undefined && { statusAt: statusUpdatedAt }),
    }
  } catch {
    // It is being written.
    return undefined
  } finally {
    await file.handle.close()
  }
}
