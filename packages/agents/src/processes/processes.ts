import { readdir, readFile } from 'node:fs/promises'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Ticks since boot. With the pid it names one process: a reused pid has another. */
  readonly startTime: string
}

/** Every process that runs, zombies left out; undefined where there is no /proc. */
export async function runningProcesses(): Promise<ProcessEntry[] | undefined> {
  const names = await readdir('/proc').catch(() => undefined)
  if (!names) return undefined
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const entries = await Promise.all(pids.map(runningProcess))
  return entries.filter((entry) => entry !== undefined)
}

const RECENT_MS = 500
let recent: { readonly at: number; readonly processes: Promise<ProcessEntry[] | undefined> } | undefined

/** The same as of a moment ago, for figures: a list of many sessions needs the memory of all of them at once. */
export function recentProcesses(): Promise<ProcessEntry[] | undefined> {
  const now = performance.now()
  if (!recent || now - recent.at >= RECENT_MS) recent = { at: now, processes: runningProcesses() }
  return recent.processes
}

/** Undefined for a process that is gone or a zombie, and where there is no /proc. */
export async function runningProcess(pid: number): Promise<ProcessEntry | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name in parentheses may hold anything, parentheses and spaces included: fields count from the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  const [, parent, group, session] = fields
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startTime: fields[19] ?? '' }
}

/** The leader's process group and session, and everything that descends from them. */
export function familyOf(leader: number, processes: readonly ProcessEntry[]): ProcessEntry[] {
  const byParent = new Map<number, ProcessEntry[]>()
  for (const entry of processes) {
    const siblings = byParent.get(entry.parent)
    if (siblings) siblings.push(entry)
    else byParent.set(entry.parent, [entry])
  }
  const family = new Set<ProcessEntry>()
  const add = (entry: ProcessEntry): void => {
    if (family.has(entry)) return
    family.add(entry)
    byParent.get(entry.pid)?.forEach(add)
  }
  for (const entry of processes) {
    if (entry.pid === leader || entry.group === leader || entry.session === leader) add(entry)
  }
  return [...family]
}

/** Whether a process runs that has started no other one that still runs. Undefined where it cannot be told. */
export async function runsAlone(pid: number): Promise<boolean | undefined> {
  const processes = await runningProcesses()
  if (!processes) return undefined
  const family = familyOf(pid, processes)
  return family.length === 1 && family[0]?.pid === pid
}

export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}
