import type { DiskLook } from '@holdpoint/core/disk-look'
import { diskLook } from './disk-look.ts'

/** An agent asks about a call some milliseconds after its hook has heard that no rule decides about it. */
const RECENT_MS = 50

/**
 * The look at the disk that the verdict on the newest call was made by, for the ask about that call: each look costs the agent
 * time, and an answer is compared with the disk once more anyway.
 */
export function createRecentLook(now: () => number = () => performance.now()) {
  let recent: { readonly call: string; readonly at: number; readonly disk: DiskLook } | undefined

  return {
    begin(call: string): DiskLook {
      recent = { call, at: now(), disk: diskLook() }
      return recent.disk
    },
    /** Undefined if it was another call's, or too long ago. Once: what asks later has to look again. */
    take(call: string): DiskLook | undefined {
      const { call: of, at, disk } = recent ?? {}
      recent = undefined
      return of === call && at !== undefined && now() - at < RECENT_MS ? disk : undefined
    },
  }
}
