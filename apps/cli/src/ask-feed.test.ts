import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { createAskFeed } from './ask-feed.ts'
import { readEventStream } from './event-stream.ts'
import { sampleAsk } from './fixtures/sample-ask.ts'

const ask = sampleAsk({ kind: 'approval' })
const session = { id: ask.sessionId, title: 'Fix\u001b the build' } as Session
const outcome: Outcome = { kind: 'allowed', at: 5, by: { device: 'dev_1', name: 'Phone', role: 'owner' }, via: 'web' }

describe('the feed of asks', () => {
  it('says each ask once and how it ended, with names that cannot act on the terminal', () => {
    const feed = createAskFeed(() => 6000)
    expect(feed.hear({ type: 'snapshot', sessions: [session], asks: [ask] })).toEqual([
      expect.stringMatching(/open {2}bjymcs {2}approval {2}Fix⟨U\+001B⟩ the build: Bash: date$/),
    ])
    expect(feed.hear({ type: 'ask-raised', sessionId: ask.sessionId, at: 2, ask })).toEqual([])
    const settled = { type: 'ask-settled', sessionId: ask.sessionId, at: 5, askId: ask.id, outcome } as const
    expect(feed.hear(settled)).toEqual([
      expect.stringMatching(/done {2}bjymcs {2}allowed by "Phone" \(owner\) through web/),
    ])
  })

  it('says after a gap what was settled meanwhile', () => {
    const feed = createAskFeed(() => 0)
    feed.hear({ type: 'snapshot', sessions: [session], asks: [ask] })
    expect(feed.hear({ type: 'snapshot', sessions: [session], asks: [] })).toEqual([
      expect.stringContaining('settled meanwhile'),
    ])
  })
})

describe('a stream of server-sent events', () => {
  it('is put together from pieces that end anywhere', async () => {
    const bytes = new TextEncoder().encode(
      ': here\n\nid: 7\nevent: ask-raised\ndata: {"title":"é: 日本"}\n\nevent: text-delta\ndata: 1\n\nid: 8\nda',
    )
    for (const size of [1, 3, 1000]) {
      const chunks = async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      const events = []
      for await (const event of readEventStream(chunks())) events.push(event)
      expect(events).toEqual([
        { id: '7', type: 'ask-raised', data: '{"title":"é: 日本"}' },
        { type: 'text-delta', data: '1' },
      ])
    }
  })
})
