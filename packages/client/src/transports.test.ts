import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { WAYS } from './fixtures/clients.ts'
import type { ReceivedFrame, StreamEnd, Wire } from './transport.ts'

/** A stream with everything that happened on it. */
function follow(transport: Wire) {
  const happened: string[] = []
  const frames: ReceivedFrame[] = []
  let isWithin = true
  const note = (what: string) => happened.push(isWithin ? `${what} too early` : what)
  const stream = transport.stream({
    onOpen: () => note('open'),
    onFrame(frame) {
      note(frame.type)
      frames.push(frame)
    },
    onEnd: (end: StreamEnd) => note(end),
  })
  isWithin = false
  const until_ = (what: string) => until(() => happened.includes(what), what)
  return { stream, happened, frames, until: until_ }
}

describe.each(Object.entries(WAYS))('the %s transport', (_, reach) => {
  it('brings replies, refusals included, as values', async () => {
    await using test = await startTestGateway()
    const transport = reach(test, await test.credential({ role: 'owner' }))
    const { session, agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    expect(await transport.call({ method: 'GET', path: '/api/asks?status=open' })).toMatchObject({
      status: 200,
      body: { asks: [{ id: ask.id }] },
    })
    expect(await transport.call({ method: 'GET', path: '/api/nowhere' })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    })
    expect(await transport.call({ method: 'GET', path: '/api/asks?status=odd' })).toMatchObject({ status: 422 })
    const wrong = { kind: 'allow', digest: ask.digest, constructor: 1 }
    expect(await transport.call({ method: 'POST', path: `/api/asks/${ask.id}/answer`, body: wrong })).toMatchObject({
      status: 400,
      body: { error: { code: 'malformed_json' } },
    })
    expect(await transport.call({ method: 'DELETE', path: `/api/sessions/${session.id}` })).toMatchObject({
      status: 202,
    })
  })

  it('I8 lets a credential do what its role allows, and nothing once it is revoked', async () => {
    await using test = await startTestGateway()
    const viewer = await test.credential({ role: 'viewer' })
    const transport = reach(test, viewer)
    const { session, agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const body = { kind: 'allow', digest: ask.digest }
    const answer = () => transport.call({ method: 'POST', path: `/api/asks/${ask.id}/answer`, body })
    expect(await answer()).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    expect(await transport.call({ method: 'GET', path: `/api/sessions/${session.id}` })).toMatchObject({ status: 200 })
    await test.gateway.devices.revoke(viewer.device.id)
    expect(await answer()).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
  })

  it('T11 shows a narrow credential its own sessions only, in calls and on the stream', async () => {
    await using test = await startTestGateway()
    const [own, other] = [await test.session(), await test.session()]
    const transport = reach(test, await test.credential({ role: 'approver', sessionIds: [own.session.id] }))
    const followed = follow(transport)
    await followed.until('open')
    followed.stream.send({ type: 'subscribe', ref: 'a' })
    await followed.until('subscribed')
    await other.agent.say('not for these eyes')
    await own.agent.say('for these')
    await followed.until('event')
    expect(JSON.stringify(followed.frames)).not.toContain(other.session.id)
    const seen = await transport.call({ method: 'GET', path: '/api/sessions' })
    expect(JSON.stringify(seen)).not.toContain(other.session.id)
    followed.stream.close()
  })

  it('makes a repeated answer under the same key the same answer', async () => {
    await using test = await startTestGateway()
    const transport = reach(test, await test.credential({ role: 'owner' }))
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const call = {
      method: 'POST',
      path: `/api/asks/${ask.id}/answer`,
      body: { kind: 'allow', digest: ask.digest },
      idempotencyKey: 'once',
    } as const
    const [first, second] = [await transport.call(call), await transport.call(call)]
    expect(first).toMatchObject({ status: 200, body: { outcome: { kind: 'allowed' } } })
    expect(second).toEqual(first)
    expect(await transport.call({ ...call, idempotencyKey: 'twice' })).toMatchObject({ status: 409 })
    await outcome
  })

  it('takes files under their own type', async () => {
    await using test = await startTestGateway()
    const transport = reach(test, await test.credential({ role: 'owner' }))
    const upload = (type: string) =>
      transport.call({ method: 'POST', path: '/api/attachments', body: new Blob(['hello'], { type }) })
    expect(await upload('text/plain')).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^att_/) } })
    expect(await upload('application/x-sh')).toMatchObject({ status: 415 })
  })

  it('gives up a call when told to', async () => {
    await using test = await startTestGateway()
    const transport = reach(test, await test.credential({ role: 'owner' }))
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const over = new AbortController()
    const waiting = transport.call({ method: 'GET', path: `/api/asks/${ask.id}?wait=60`, signal: over.signal })
    const failing = expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    over.abort()
    await failing
  })

  it('I7 streams a snapshot, then what happens, and says when the client is up to date', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session({ prompt: 'go' })
    await test.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'later' })
    const { ask } = await test.openAsk(agent)
    agent.start.live({ type: 'text-delta', text: 'Half' })
    const followed = follow(reach(test, await test.credential({ role: 'owner' })))
    await followed.until('open')
    followed.stream.send({ type: 'subscribe', ref: 'first' })
    await followed.until('subscribed')
    await agent.say('Half a sentence')
    await followed.until('event')
    expect(followed.happened).toEqual(['open', 'snapshot', 'live', 'subscribed', 'event'])
    const [snapshot, , subscribed, event] = followed.frames
    expect(snapshot).toMatchObject({
      sessions: [{ id: session.id, queuedMessages: 1 }],
      asks: [{ id: ask.id }],
      queued: [{ sessionId: session.id, item: { type: 'message', text: 'later', status: 'queued' } }],
    })
    expect(subscribed).toMatchObject({ ref: 'first', partial: [{ sessionId: session.id, text: 'Half' }] })
    expect(event).toMatchObject({ seq: await test.events() })

    followed.stream.send({ type: 'subscribe', ref: 'again', after: await test.cursorAt((await test.events()) - 2) })
    await until(() => followed.happened.length === 8, 'two events and the word')
    expect(followed.frames.slice(4)).toMatchObject([
      { type: 'event', seq: (await test.events()) - 1 },
      { type: 'event', seq: await test.events() },
      { type: 'subscribed', ref: 'again', partial: [] },
    ])
    followed.stream.close()
  })

  it('says nothing on a stream that was closed', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const transport = reach(test, await test.credential({ role: 'owner' }))
    const [early, late] = [follow(transport), follow(transport)]
    early.stream.close()
    await late.until('open')
    late.stream.send({ type: 'subscribe', ref: 'a' })
    await late.until('subscribed')
    late.stream.close()
    await agent.say('to nobody')
    await until(() => test.gateway.fanOut.size() === 0, 'nobody left')
    expect(early.happened).toEqual([])
    expect(late.happened).toEqual(['open', 'snapshot', 'subscribed'])
  })

  it('T12 ends the stream of a credential that is revoked, and opens none for it', async () => {
    await using test = await startTestGateway()
    const viewer = await test.credential({ role: 'viewer' })
    const transport = reach(test, viewer)
    const followed = follow(transport)
    await followed.until('open')
    followed.stream.send({ type: 'subscribe', ref: 'a' })
    await followed.until('subscribed')
    await test.gateway.devices.revoke(viewer.device.id)
    await until(() => followed.happened.some((what) => what === 'lost' || what === 'unauthorized'), 'its end')
    const again = follow(transport)
    await again.until('unauthorized')
    expect(again.happened).toEqual(['unauthorized'])
  })

  it('says that a frame was not understood', async () => {
    await using test = await startTestGateway()
    const followed = follow(reach(test, await test.credential({ role: 'owner' })))
    await followed.until('open')
    followed.stream.send({ type: 'subscribe', after: -1 })
    await followed.until('unreadable')
    followed.stream.close()
  })
})

it('a gateway that is not there is a fault of the call and a lost stream', async () => {
  const test = await startTestGateway()
  const transport = WAYS.http(test, await test.credential({ role: 'owner' }))
  await test[Symbol.asyncDispose]()
  await expect(transport.call({ method: 'GET', path: '/api/me' })).rejects.toMatchObject({ code: 'unreachable' })
  const followed = follow(transport)
  await followed.until('lost')
  expect(followed.happened).toEqual(['lost'])
})
