import { findInThread } from '@holdpoint/server/services/find-in-thread'
import { describe, expect, it } from 'vitest'
import { askId, eventsOf, itemId, sampleAppend, sampleAsk, sampleMessage, sessionId } from './store-samples.ts'
import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)

/** A search through a thread, over every store. */
export function findContract(world: StoreWorld): void {
  describe('a search in a thread', () => {
    const find = (text: string, before?: number) => findInThread(world.store, { sessionId: sessionId(1), text, before })
    const said = (n: number, text: string) => one.added(sampleMessage(n, { text }))
    const base = { at: 1 }

    it('finds what was said, called, returned and answered, newest first, upper and lower case alike', async () => {
      const denied = { kind: 'denied', at: 1, via: 'web', answer: { message: 'Not the ÄPFEL' } } as const
      await world.appendOne(
        sampleAppend({
          after: 0,
          events: [
            said(1, 'We have Äpfel (1.5 kg) \\ "sweet".'),
            one.added({
              ...base,
              id: itemId(2),
              type: 'tool-call',
              toolUseId: 't',
              name: 'Bash',
              input: { deep: [{ command: 'count äpfel' }] },
            }),
            one.added({
              ...base,
              id: itemId(3),
              type: 'tool-result',
              toolUseId: 't',
              text: 'äPFEL: 3',
              isError: false,
            }),
            one.raised(sampleAsk(4)),
            one.settled(4, denied),
            said(5, 'Pears.'),
          ],
        }),
      )
      await world.appendOne(
        sampleAppend({ n: 2, after: 0, events: [eventsOf(2).added(sampleMessage(9, { text: 'äpfel elsewhere' }))] }),
      )
      const ids = async (text: string) => (await find(text)).found.map(({ id }) => id)
      expect(await ids('äpfel')).toEqual([askId(4).replace('ask', 'itm'), itemId(3), itemId(2), itemId(1)])
      expect(await ids('(1.5 KG) \\ "sweet"')).toEqual([itemId(1)])
      expect(await ids('1x5')).toEqual([])
      expect((await find('count')).found).toMatchObject([{ excerpt: 'count äpfel' }])
    })

    it('goes through a long thread in several replies, and finds each once', async () => {
      const large = 'x'.repeat(3_000_000)
      const texts = [`needle ${large}`, large, `${large} needle`, large, large, large, 'needle']
      for (const [index, text] of texts.entries()) {
        await world.appendOne(sampleAppend({ after: index, events: [said(index + 1, text)] }))
      }
      const found: string[] = []
      let replies = 0
      for (let before: number | undefined; ; ) {
        const page = await find('NEEDLE', before)
        found.push(...page.found.map(({ id }) => id))
        replies++
        before = page.nextBefore
        if (before === undefined) break
      }
      expect(found).toEqual([itemId(7), itemId(3), itemId(1)])
      expect(replies).toBeGreaterThan(1)
      expect((await find('needle')).found.every(({ excerpt }) => excerpt.length < 200)).toBe(true)
    })
  })
}
