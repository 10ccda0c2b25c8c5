import { createHmac } from 'node:crypto'
import { channelContract, NOTICE } from '@holdpoint/testing/channel-contract'
import { type ReceivedRequest, type ReceiverReply, startStandInReceiver } from '@holdpoint/testing/stand-in-receiver'
import { describe, expect, it } from 'vitest'
import { createOutbound } from './outbound.ts'
import { createWebhookChannel, isWebhookSecret, newWebhookSecret } from './webhook-channel.ts'

async function openWebhook(secret = newWebhookSecret(), start = NOTICE.at) {
  let behaviour: ReceiverReply = { status: 204 }
  let now = start
  const requests: ReceivedRequest[] = []
  const receiver = await startStandInReceiver((request) => {
    requests.push(request)
    return behaviour
  })
  const channel = createWebhookChannel({
    url: `${receiver.url}/hook?key=in-the-address`,
    secret,
    outbound: createOutbound({ allowed: [receiver.place], timeLimitMs: 200 }),
    clock: { now: () => (now += 1000) },
  })
  return {
    channel,
    requests,
    behave(how: ReceiverReply | 'well') {
      behaviour = how === 'well' ? { status: 204 } : how
    },
    received: () => requests.map(({ headers }) => String(headers['webhook-id'])),
    secrets: [secret, secret.slice('whsec_'.length), 'in-the-address'],
    logged: () => '',
    killReceiver: receiver.close,
    [Symbol.asyncDispose]: receiver.close,
  }
}

channelContract('webhook', () => openWebhook())

describe('a webhook', () => {
  const signal = new AbortController().signal

  it('is signed as Standard Webhooks say, each attempt with its own time', async () => {
    await using world = await openWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    await world.channel.send(NOTICE, { signal })
    await world.channel.send(NOTICE, { signal })
    const times = world.requests.map(({ headers, body }) => {
      const time = String(headers['webhook-timestamp'])
      const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
      const expected = createHmac('sha256', key).update(`${NOTICE.id}.${time}.${body}`).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${expected}`)
      return time
    })
    expect(times).toEqual(['1800000001', '1800000002'])
  })

  it('T58 has what the guide describes, and no token of a button', async () => {
    await using world = await openWebhook()
    const buttons = { deny: 'deny-token', allow: 'allow-token', receipt: 'receipt-token' }
    await world.channel.send({ ...NOTICE, ...buttons }, { signal })
    const [request] = world.requests
    expect(request?.headers['content-type']).toBe('application/json')
    expect(JSON.parse(request?.body ?? '')).toEqual({
      type: 'notice.ask',
      timestamp: '2027-01-15T08:00:00.000Z',
      data: {
        tag: NOTICE.tag,
        title: 'Bash in shop',
        body: 'npm run deploy – “now”',
        url: NOTICE.url,
        waiting: 1,
        silent: false,
        askIds: NOTICE.askIds,
        replaces: [],
      },
    })
    expect(request?.body).not.toContain('-token')
  })

  it('is taken for genuine by the example of the guide, unless something in it was changed or it is old', async () => {
    const path = new URL('../../../../examples/webhooks/verify.mjs', import.meta.url).href
    const { isGenuine }: { isGenuine(headers: object, body: string, secret: string): boolean } = await import(path)
    const secret = newWebhookSecret()
    const sent = async (start: number) => {
      await using world = await openWebhook(secret, start)
      await world.channel.send(NOTICE, { signal })
      return world.requests[0] ?? { headers: {}, body: '' }
    }
    const { headers, body } = await sent(Date.now())
    expect(isGenuine(headers, body, secret)).toBe(true)
    expect(isGenuine(headers, body.replace('shop', 'shed'), secret)).toBe(false)
    expect(isGenuine({ ...headers, 'webhook-id': 'ntc_other' }, body, secret)).toBe(false)
    expect(isGenuine(headers, body, newWebhookSecret())).toBe(false)
    expect(isGenuine({}, body, secret)).toBe(false)
    const old = await sent(Date.now() - 600_000)
    expect(isGenuine(old.headers, old.body, secret)).toBe(false)
  })

  it('is gone when the receiver says so', async () => {
    await using world = await openWebhook()
    world.behave({ status: 410 })
    expect(await world.channel.send(NOTICE, { signal })).toMatchObject({ ok: false, how: 'gone' })
  })

  it('has a secret of 24 to 64 bytes', () => {
    expect(isWebhookSecret(newWebhookSecret())).toBe(true)
    expect(newWebhookSecret()).not.toBe(newWebhookSecret())
    const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 7).toString('base64')}`
    expect([24, 25, 32, 64].map(ofBytes).filter(isWebhookSecret)).toHaveLength(4)
    const wrong = [ofBytes(23), ofBytes(65), ofBytes(32).slice(6), `${ofBytes(24)}\n`, 'whsec_', '']
    expect(wrong.filter(isWebhookSecret)).toEqual([])
  })
})
