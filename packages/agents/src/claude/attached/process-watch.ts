import type { Clock } from '@holdpoint/core/clock'
import type { ProcessName } from './hook-call.ts'
import { answersSignals, isRunning } from './process-life.ts'
import { createRounds } from './rounds.ts'

export interface ProcessWatch {
  /** Calls back once when this process is gone. Returns how to stop. */
  add(process: ProcessName, onGone: () => void): () => void
}

const LOOK_MS = 500

/**
 * Tells when processes are gone, of which the system tells nobody but their parents. One timer for all: each look asks the
 * system only whether their pids exist, without reading anything. That a pid is another process by now, or that nobody
 * has taken note of a dead one, is found in rounds (F59).
 */
export function createProcessWatch(clock: Clock, isThere = answersSignals): ProcessWatch {
  const watched = new Set<{ readonly pid: number; readonly gone: () => void }>()
  const rounds = createRounds(clock)
  let isUnderWay = false

  function begin() {
    if (isUnderWay || watched.size === 0) return
    isUnderWay = true
    clock.after(LOOK_MS, () => {
      for (const { pid, gone } of [...watched]) if (!isThere(pid)) gone()
      isUnderWay = false
      begin()
    })
  }

  return {
    add(process, onGone) {
      const entry = { pid: process.pid, gone }
      const stopRounds = rounds.add(async () => {
        if (!(await isRunning(process))) gone()
      })
      function stop(): boolean {
        stopRounds()
        return watched.delete(entry)
      }
      function gone() {
        if (stop()) onGone()
      }
      watched.add(entry)
      begin()
      return stop
    },
  }
}
