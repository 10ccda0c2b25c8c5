import type { Ledger } from '@holdpoint/core/ledger'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { createTrustWatch, type TrustWatchDeps } from './trust-watch.ts'

const ID: SessionId = 'ses_1'

/** What happens, in order, when the folder of a session has changed and its next turn is about to begin. */
async function happens(agent: string, { isEnded = false, files = 1, isOurs = true } = {}): Promise<string[]> {
  const seen: string[] = []
  const session = { id: ID, agent, cwd: '/home/dev/app', trusted: true, epoch: 3 }
  const ledger = {
    views: () => new Map([[ID, { session }]]),
    subscribe() {},
    async transact(_: string, decide: (view: object, at: number) => { events: DurableEvent[]; result: unknown }) {
      const { events, result } = decide({ session }, 1)
      for (const event of events) seen.push(event.type === 'session-changed' ? 'not trusted' : event.type)
      return result
    },
  } as unknown as Ledger
  const watch = createTrustWatch({
    ledger,
    sessions: {
      async end(_: string, { epoch, notice }: { epoch: number; notice: string }) {
        seen.push(`ended: ${epoch}`, ...(notice.match(/\w+\.sh \(changed\)|\d+ more/g) ?? []))
        return { ok: !isEnded }
      },
      async resume(_: string, { trusted, unattended }: { trusted: boolean; unattended: boolean }) {
        seen.push(`resumed, trusted: ${trusted}, unattended: ${unattended}`)
        return { ok: true }
      },
    },
    trustedFolders: {
      async look() {
        const changed = Array.from({ length: files }, (_, at) => ({ path: `f${at}.sh`, change: 'changed' }))
        return { state: 'changed', files: changed }
      },
    },
    isOurs: () => isOurs,
    newId: () => 'itm_1',
  } as unknown as TrustWatchDeps)
  await watch.beforeTurn(ID)
  return seen
}

it('T34 an agent is not called untrusted before the one that was trusted has ended', async () => {
  expect(await happens('claude')).toEqual(['ended: 3', 'f0.sh (changed)', 'resumed, trusted: false, unattended: true'])
})

it('T34 a session that somebody has ended in the meantime stays ended', async () => {
  expect(await happens('claude', { isEnded: true })).toEqual(['ended: 3', 'f0.sh (changed)'])
})

it('T34 the notice names twenty of the changed files, and says how many more there are', async () => {
  const seen = await happens('claude', { files: 900 })
  expect(seen).toHaveLength(1 + 20 + 1 + 1)
  expect(seen).toContain('880 more')
})

it('T34 what runs in a terminal of a person is not ended', async () => {
  expect(await happens(TERMINAL_AGENT)).toEqual(['item-added', 'not trusted'])
})

it('T34 a session of another machine is left to the gateway there', async () => {
  expect(await happens('claude', { isOurs: false })).toEqual([])
})
