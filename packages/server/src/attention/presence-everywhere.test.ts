import type { DeviceId, NodeId } from '@holdpoint/schema/id'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { deviceId } from '@holdpoint/testing/store-contract/store-samples'
import { describe, expect, it } from 'vitest'
import { createNodeMessages } from '../cluster/node-messages.ts'
import { presenceEverywhere } from './presence-everywhere.ts'

const NODES = ['a', 'b'].map((letter): NodeId => `nod_${letter.repeat(26)}`)
const PHONE = deviceId(1)

/** Two gateways. `cut`: what they tell each other is lost from now on. */
function start() {
  const { clock, advance } = createManualClock()
  const listeners = new Map<NodeId, (text: string, from: NodeId) => void>()
  let isCut = false
  const texts: string[] = []
  const open = (node: NodeId) => {
    const messages = createNodeMessages({
      onTold(listener) {
        listeners.set(node, listener)
        return () => {}
      },
      tell(text) {
        texts.push(text)
        for (const [id, listener] of listeners) if (id !== node && !isCut) listener(text, node)
      },
    })
    const nodes = NODES.map((id) => ({ id, isReachable: true }))
    const presence = presenceEverywhere({ cluster: { node, nodes: () => nodes as never }, messages, clock })
    const away: DeviceId[] = []
    presence.onAway((id) => away.push(id))
    return { ...presence, away }
  }
  return {
    advance,
    open,
    texts,
    cut: () => {
      isCut = true
    },
    tell: (node: NodeId, text: string) => listeners.get(node)?.(text, NODES[1] as NodeId),
  }
}

describe('a page at another gateway', () => {
  it('is known to be in front, open, and gone, and the last one in front that goes is told of once', () => {
    const world = start()
    const [a, b] = NODES.map(world.open) as [ReturnType<typeof world.open>, ReturnType<typeof world.open>]
    const page = b.join(PHONE)
    expect([a.isOpen(PHONE), a.isInFront(PHONE)]).toEqual([true, false])
    page.set(true)
    const own = a.join(PHONE)
    own.set(true)
    expect([a.isInFront(PHONE), b.isInFront(PHONE)]).toEqual([true, true])
    page.set(false)
    expect([a.away, b.away, a.isInFront(PHONE)]).toEqual([[], [], true])
    own.leave()
    expect([a.away, b.away]).toEqual([[PHONE], [PHONE]])
    page.leave()
    expect([a.isOpen(PHONE), b.isOpen(PHONE)]).toEqual([false, false])
  })

  it('counts for as long as it is said again, and is taken for gone 15 seconds after the last word', () => {
    const world = start()
    const [a, b] = NODES.map(world.open) as [ReturnType<typeof world.open>, ReturnType<typeof world.open>]
    b.join(PHONE).set(true)
    for (let n = 0; n < 10; n++) world.advance(5_000)
    expect(a.isInFront(PHONE)).toBe(true)
    world.cut()
    for (let n = 0; n < 2; n++) world.advance(5_000)
    expect([a.isInFront(PHONE), a.away]).toEqual([true, []])
    for (let n = 0; n < 2; n++) world.advance(5_000)
    expect([a.isInFront(PHONE), a.isOpen(PHONE), a.away]).toEqual([false, false, [PHONE]])
  })

  it('is known to a gateway that starts later, before it is ready', async () => {
    const world = start()
    const [first, second] = NODES as [NodeId, NodeId]
    const b = world.open(second)
    for (let n = 1; n <= 400; n++) b.join(deviceId(n)).set(true)
    const a = world.open(first)
    await a.ready
    expect([1, 200, 400].map((n) => a.isInFront(deviceId(n)))).toEqual([true, true, true])
    for (const text of world.texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(7_000)
  })

  it('is not waited for where the other gateway says nothing', async () => {
    const world = start()
    const a = world.open(NODES[0] as NodeId)
    world.advance(500)
    await a.ready
    expect(a.isInFront(PHONE)).toBe(false)
  })

  it.each(['', '{"type":"pages"}', '{"type":"pages","pages":[["dev_1","front"]]}'])('is not read from %j', (text) => {
    const world = start()
    const a = world.open(NODES[0] as NodeId)
    world.tell(NODES[0] as NodeId, text)
    world.tell(NODES[0] as NodeId, JSON.stringify({ type: 'pages', pages: [[PHONE, 'behind']] }))
    expect(a.isOpen(PHONE)).toBe(false)
    world.tell(NODES[0] as NodeId, JSON.stringify({ type: 'pages', pages: [[PHONE, 'front']] }))
    expect(a.isInFront(PHONE)).toBe(true)
  })
})
