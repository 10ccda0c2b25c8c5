import { readFile } from 'node:fs/promises'
import { familyOf, runningProcess, runningProcesses } from '@holdpoint/agents/processes/processes'

/** Names one process: a pid that was given to another later has another start time. */
export interface ProcessMark {
  readonly pid: number
  readonly startTime?: string
}

/** These processes and everything that belongs to them. Where the system does not show its processes, these alone. */
export async function familyMarks(pids: readonly number[]): Promise<ProcessMark[]> {
  const processes = await runningProcesses()
  return processes ? pids.flatMap((pid) => familyOf(pid, processes)) : pids.map((pid) => ({ pid }))
}

/** Undefined when it is gone, or the system does not show its processes. */
export async function markOf(pid: number): Promise<ProcessMark | undefined> {
  const entry = await runningProcess(pid)
  return entry && { pid, startTime: entry.startTime }
}

export async function isRunning({ pid, startTime }: ProcessMark): Promise<boolean> {
  const entry = await runningProcess(pid)
  if (entry) return startTime === undefined || entry.startTime === startTime
  // A zombie still takes signals; where processes are shown, what is not shown is gone.
  return startTime === undefined && !(await showsProcesses()) && takesSignals(pid)
}

/** The first process whose command line `fits`, and its children. */
export async function findProcess(
  fits: (args: readonly string[]) => boolean,
): Promise<{ pid: number; children: number[] } | undefined> {
  const processes = (await runningProcesses()) ?? []
  for (const { pid } of processes) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (fits(line.split('\0')))
      return { pid, children: processes.filter((entry) => entry.parent === pid).map((entry) => entry.pid) }
  }
  return undefined
}

async function showsProcesses(): Promise<boolean> {
  return (await runningProcess(process.pid)) !== undefined
}

function takesSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
