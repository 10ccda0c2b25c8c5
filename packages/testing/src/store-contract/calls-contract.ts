import type { KeptCall } from '@holdpoint/core/policy/kept-call'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it } from 'vitest'
import { askId, eventsOf, SAMPLE_OUTCOME, sampleAppend, sampleAsk, sampleSession, sessionId } from './store-samples.ts'
import type { StoreWorld } from './store-world.ts'

const pause = async () => {}
const bash = (n: number, command: string) => sampleAsk(n, { tool: { name: 'Bash', input: { command } } })

/** By the command's first word; nothing for one that begins with a dash. */
function take({ tool }: Ask): KeptCall | undefined {
  const command = String(tool?.input.command)
  const [name = ''] = command.split(' ')
  return name.startsWith('-')
    ? undefined
    : { text: command, about: ` ${name} `, stem: name === 'rm' ? undefined : name }
}

const denied = { kind: 'denied' } as const
const byRule = { via: 'rule' } as const
/** Each ask is settled at the time of its number. */
const PAST: readonly (readonly [session: number, asks: readonly (readonly [string, Partial<Outcome>])[]])[] = [
  [
    1,
    [
      ['git log', {}],
      ['git log', denied],
      ['npm test', {}],
      ['-x', {}],
      ['rm a', {}],
    ],
  ],
  [
    2,
    [
      ['npm test', {}],
      ['npm test', byRule],
      ['npm run a', {}],
      ['git log', { kind: 'expired' }],
    ],
  ],
]

async function fill(world: StoreWorld): Promise<void> {
  let number = 0
  for (const [n, asks] of PAST) {
    const events = eventsOf(n)
    const session = { cwd: '/srv/shop', trusted: n === 2 }
    const settled = asks.flatMap(([command, outcome]) => {
      number++
      const { by, ...rest } = SAMPLE_OUTCOME
      const person = outcome.kind === 'expired' ? {} : { by }
      const whole = { ...rest, ...person, ...outcome, at: number } as Outcome
      return [events.raised(bash(number, command)), events.settled(number, whole)]
    })
    const started = events.started(sampleSession(n, session))
    await world.appendOne(sampleAppend({ n, after: 0, session, events: [started, ...settled] }))
  }
}

/** The parts of past calls. */
export function callsContract(world: StoreWorld): void {
  describe('past calls', () => {
    const merged = async (query: Parameters<StoreWorld['store']['pastCalls']>[0]) => {
      const found = await world.store.pastCalls(query)
      return found
        .map(({ call, sessionId: id, asks, allowed, denied: no }) => [call, Number(id.slice(4)), asks, allowed, no])
        .sort((a, b) => (String(a) < String(b) ? -1 : 1))
    }

    it('are given by call and session, with what people decided', async () => {
      await fill(world)
      await world.store.indexCalls(take, { pause })
      expect(await merged({ from: 0 })).toEqual([
        ['git log', 1, 2, 1, [askId(2)]],
        ['git log', 2, 1, 0, []],
        ['npm run a', 2, 1, 1, []],
        ['npm test', 1, 1, 1, []],
        ['npm test', 2, 2, 1, []],
        ['rm a', 1, 1, 1, []],
      ])
      expect(await merged({ from: 7, about: ' npm ' })).toEqual([
        ['npm run a', 2, 1, 1, []],
        ['npm test', 2, 1, 0, []],
      ])
      const one = (await world.store.pastCalls({ from: 0 })).find(({ sessionId: id }) => id === sessionId(2))
      expect(one).toMatchObject({ project: '/srv/shop', trusted: true })
    })

    it('are found after a restart, and those of later asks when they were taken apart', async () => {
      await fill(world)
      await world.store.indexCalls(take, { pause })
      await world.store.indexCalls(take, { pause })
      const events = [eventsOf(2).raised(bash(10, 'git log')), eventsOf(2).settled(10, { ...SAMPLE_OUTCOME, at: 10 })]
      const session = { cwd: '/srv/shop', trusted: true }
      await world.appendOne(sampleAppend({ n: 2, after: 9, session, events }))
      await world.reloaded()
      await world.store.indexCalls(take, { pause })
      expect(await merged({ from: 0, about: ' git ' })).toEqual([
        ['git log', 1, 2, 1, [askId(2)]],
        ['git log', 2, 2, 1, []],
      ])
      expect((await world.store.verify()).fault).toBeUndefined()
    })

    it('that people allowed often and never denied are named, alone and by their stem', async () => {
      await fill(world)
      await world.store.indexCalls(take, { pause })
      const found = await world.store.allowedCalls({ min: 2 })
      const shown = found.map(({ stem, calls, allowed, latest }) => ({ stem, calls, allowed, latest }))
      expect(shown).toEqual([
        { stem: undefined, calls: ['npm test'], allowed: 2, latest: askId(6) },
        { stem: 'npm', calls: ['npm test', 'npm run a'], allowed: 3, latest: askId(8) },
      ])
      expect(await world.store.allowedCalls({ min: 4 })).toEqual([])
    })
  })
}
