import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Append, Store } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { eventsOf, itemId, sampleAsk, sampleSession } from './store-contract/store-samples.ts'

export interface LongPast {
  readonly sessions: number
  /** Calls of each session: multiples of eight. Each leads to four events. */
  readonly calls: number
  /** Of these sessions, how many have not ended; each has an open ask. */
  readonly live: number
}

/** Sessions that go on at the same time, and how many calls of each are written together. */
const AT_ONCE = 40
const CALLS_AT_ONCE = 8
const OUTPUT = 'a line of what the program printed, as long as such lines are\n'.repeat(25)

/** A data folder with the log that years of work leave behind. */
export async function makeLongPast(dataDir: string, past: LongPast): Promise<{ events: number }> {
  await mkdir(dataDir, { mode: 0o700, recursive: true })
  const store = await openSqliteStore({ path: join(dataDir, 'holdpoint.db') })
  for (let from = 1; from <= past.sessions; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, past.sessions - from + 1) }, (_, offset) => from + offset)
    await addSessions(store, numbers, past)
  }
  const events = await store.lastSeq()
  await store.close()
  return { events }
}

async function addSessions(store: Store, numbers: readonly number[], past: LongPast): Promise<void> {
  await store.append(numbers.map((n) => append(n, 0, [eventsOf(n).started(session(n))])))
  for (let from = 0; from < past.calls; from += CALLS_AT_ONCE) {
    const calls = Array.from({ length: CALLS_AT_ONCE }, (_, offset) => from + offset)
    await store.append(
      numbers.map((n) =>
        append(
          n,
          1 + from * 4,
          calls.flatMap((call) => callEvents(n, call)),
        ),
      ),
    )
  }
  const after = 1 + past.calls * 4
  await store.append(
    numbers.map((n) => {
      const made = eventsOf(n)
      if (n <= past.live)
        return append(n, after, [made.raised(sampleAsk(n * 1000 + 999, { agent: AGENT }))], { openAsks: 1 })
      const { sessionId, at } = made.started()
      const ended: DurableEvent = { type: 'session-ended', sessionId, at, reason: 'ended-by-person' }
      return append(n, after, [ended], { state: 'dead', endReason: 'ended-by-person' })
    }),
  )
}

const AGENT = 'synthetic'
const session = (n: number, changes: Partial<Session> = {}) => sampleSession(n, { agent: AGENT, ...changes })

function append(n: number, expectedSeq: number, events: DurableEvent[], changes: Partial<Session> = {}): Append {
  const after = session(n, changes)
  return { sessionId: after.id, expectedSeq, events, session: after }
}

function callEvents(n: number, call: number): DurableEvent[] {
  const made = eventsOf(n)
  const number = n * 1000 + call
  const input = { command: `grep -rn needle-${number} src`, description: 'Look for it' }
  const ask = sampleAsk(number, { agent: AGENT, tool: { name: 'Bash', input }, title: `Bash: ${input.command}` })
  const result = { type: 'tool-result', toolUseId: `toolu_${number}`, text: OUTPUT, isError: false } as const
  const item = { id: itemId(number), at: ask.raisedAt, ...result }
  return [made.raised(ask), made.settled(number), made.delivered(number), made.added(item)]
}
