import { MOST_SESSIONS, USAGE_SLOT_MS } from '@holdpoint/core/usage-counts'
import type { Usage } from '@holdpoint/schema/usage'
import { describe, expect, it } from 'vitest'
import { eventsOf, sampleAppend, sessionId } from './store-samples.ts'
import type { StoreWorld } from './store-world.ts'

const NOON = USAGE_SLOT_MS * 2_000_000

function tokens(n: number, costUsd?: number): Usage {
  const counts = { inputTokens: n, outputTokens: 2 * n, cacheReadTokens: 3 * n, cacheWriteTokens: 4 * n }
  return costUsd === undefined ? counts : { ...counts, costUsd }
}

/** What agents have used, added up. */
export function usageContract(world: StoreWorld): void {
  describe('usage', () => {
    async function use(n: number, reports: readonly (readonly [at: number, used: Usage, cwd?: string])[]) {
      const events = reports.map(([at, used, cwd]) => eventsOf(n, at).used(used, cwd))
      await world.appendOne(sampleAppend({ n, after: 0, events: [eventsOf(n).started(), ...events] }))
    }

    it('adds up by quarter of an hour and folder, and by session, within the time that is asked for', async () => {
      await use(1, [
        [NOON, tokens(1, 0.5)],
        [NOON + USAGE_SLOT_MS - 1, tokens(10, 0.25)],
        [NOON + USAGE_SLOT_MS, tokens(100, 1)],
      ])
      await use(2, [[NOON, tokens(1000, 8)]])
      const odd = '/odd \ud800 "folder"'
      await use(3, [[NOON, tokens(5), odd]])
      await use(4, [
        [NOON - 1, tokens(1, 100)],
        [NOON + 2 * USAGE_SLOT_MS, tokens(1, 100)],
      ])
      const within = { from: NOON, to: NOON + 2 * USAGE_SLOT_MS }
      const { slots, sessions } = await world.store.usage(within)
      const project = '/project'
      expect(slots.toSorted((a, b) => a.at - b.at || (a.project < b.project ? -1 : 1))).toEqual([
        { at: NOON, project: odd, used: tokens(5) },
        { at: NOON, project, used: tokens(1011, 8.75) },
        { at: NOON + USAGE_SLOT_MS, project, used: tokens(100, 1) },
      ])
      expect(sessions).toEqual([
        { id: sessionId(2), project, used: tokens(1000, 8) },
        { id: sessionId(1), project, used: tokens(111, 1.75) },
        { id: sessionId(3), project: odd, used: tokens(5) },
      ])
      const narrow = await world.store.usage({ ...within, sessionIds: [sessionId(1), sessionId(4)] })
      expect(narrow.sessions).toEqual([sessions[1]])
      expect(narrow.slots.map(({ used }) => used.costUsd)).toEqual([0.75, 1])
      expect(await world.store.usage({ ...within, sessionIds: [] })).toEqual({ slots: [], sessions: [] })
    })

    it('counts nothing of an append that conflicts, and gives the most expensive sessions alone', async () => {
      for (let n = 1; n <= MOST_SESSIONS + 1; n++) await use(n, [[NOON, tokens(1, n)]])
      const late = sampleAppend({ n: 1, after: 1, events: [eventsOf(1, NOON).used(tokens(1, 1000))] })
      expect(await world.store.append([late])).toMatchObject([{ ok: false }])
      const { slots, sessions } = await world.store.usage({ from: NOON, to: NOON + 1 })
      expect(sessions.map(({ used }) => used.costUsd)).toEqual(
        Array.from({ length: MOST_SESSIONS }, (_, n) => MOST_SESSIONS + 1 - n),
      )
      expect(slots).toEqual([{ at: NOON, project: '/project', used: tokens(51, (51 * 52) / 2) }])
    })
  })
}
