import { runningProcess } from '../../processes/processes.ts'
import type { ProcessName } from './hook-call.ts'

/** Whether this very process runs still: another one that got its pid does not count. */
export async function isRunning({ pid, startedAt }: ProcessName): Promise<boolean> {
  if (process.platform !== 'linux') return answersSignals(pid)
  const entry = await runningProcess(pid)
  return entry !== undefined && (startedAt === undefined || Number(entry.startTime) === startedAt)
}

/** Whether there is a process of this pid, be it one that nobody has taken note of since it ended. Reads nothing. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
