import { setTimeout as delay } from 'node:timers/promises'
import {
  familyOf,
  type ProcessEntry,
  recentProcesses,
  residentBytes,
  runningProcess,
  runningProcesses,
} from './processes.ts'

const GRACE_MS = 2000
const POLL_MS = 25

/**
 * An agent's process group. Where /proc can be read it also reaches what left the group: agents start their shells in
 * sessions of their own, and those must not outlive a kill.
 */
export class ProcessGroup {
  readonly #leader: number
  readonly #strays = new Map<number, ProcessEntry>()
  #force = false
  #ending: Promise<void> | undefined

  constructor(leader: number) {
    this.#leader = leader
  }

  /**
   * SIGTERM to all, SIGKILL to those that are left after the grace; `force` leaves the grace out, also for an end that
   * is under way. Resolves when all are gone, or cannot be got rid of.
   */
  end(options: { force: boolean }): Promise<void> {
    this.#force ||= options.force
    this.#ending ??= this.#end()
    return this.#ending
  }

  /** Undefined where it cannot be told. */
  async memoryBytes(): Promise<number | undefined> {
    const processes = await recentProcesses()
    if (!processes) return undefined
    const sizes = await Promise.all(familyOf(this.#leader, processes).map((entry) => residentBytes(entry.pid)))
    return sizes.reduce((sum, bytes) => sum + bytes, 0)
  }

  async #end(): Promise<void> {
    // Before the first signal: once the leader is gone its descendants are nobody's children and cannot be found.
    if (!(await this.#alive())) return
    if (!this.#force) {
      await this.#signal('SIGTERM')
      if (await this.#goneWithin(GRACE_MS, () => this.#force)) return
    }
    await this.#signal('SIGKILL')
    await this.#goneWithin(GRACE_MS, () => false)
  }

  async #goneWithin(milliseconds: number, cut: () => boolean): Promise<boolean> {
    const deadline = performance.now() + milliseconds
    while (await this.#alive()) {
      if (cut() || performance.now() > deadline) return false
      await delay(POLL_MS)
    }
    return true
  }

  async #alive(): Promise<boolean> {
    const processes = await runningProcesses()
    if (!processes) return signal(-this.#leader, 0)
    const family = familyOf(this.#leader, processes)
    for (const entry of family) {
      if (entry.group !== this.#leader) this.#strays.set(entry.pid, entry)
    }
    if (family.length > 0) return true
    return processes.some((entry) => this.#strays.get(entry.pid)?.startTime === entry.startTime)
  }

  async #signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    signal(-this.#leader, name)
    for (const stray of this.#strays.values()) {
      const now = await runningProcess(stray.pid)
      if (now?.startTime === stray.startTime) signal(stray.pid, name)
    }
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
