import { createECDH, randomBytes } from 'node:crypto'
import { channelContract, NOTICE } from '@holdpoint/testing/channel-contract'
import { type ReceivedRequest, type ReceiverReply, startStandInReceiver } from '@holdpoint/testing/stand-in-receiver'
import { expect, it } from 'vitest'
import webPush from 'web-push'
import { createOutbound } from './outbound.ts'
import { createWebPushChannel } from './web-push-channel.ts'

const TAKEN = { status: 201 }
const PATH = '/push/a-path-that-is-a-secret'

async function openWebPush() {
  let behaviour: ReceiverReply = TAKEN
  const requests: ReceivedRequest[] = []
  const receiver = await startStandInReceiver((request) => {
    requests.push(request)
    return behaviour
  })
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const keys = { p256dh: browser.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') }
  return {
    channel: createWebPushChannel({
      to: 'dev_00000000000000000000000001',
      subscription: { endpoint: receiver.url + PATH, keys },
      keys: webPush.generateVAPIDKeys(),
      subject: () => 'https://holdpoint.example',
      outbound: createOutbound({ allowed: [receiver.place], timeLimitMs: 200 }),
    }),
    requests,
    behave(how: ReceiverReply | 'well') {
      behaviour = how === 'well' ? TAKEN : how
    },
    // The message is encrypted anew each time; a push service replaces what has the same topic.
    received: () => requests.map(({ headers }) => String(headers.topic)),
    secrets: [PATH, keys.auth],
    logged: () => '',
    killReceiver: receiver.close,
    [Symbol.asyncDispose]: receiver.close,
  }
}

channelContract('web push', openWebPush)

const signal = new AbortController().signal

it('keeps within what push services take, however long the words are', async () => {
  await using world = await openWebPush()
  const token = 'x'.repeat(64)
  const replaces = Array.from({ length: 100 }, (_, n) => `ask_${String(n).padStart(26, '0')}`)
  const notice = { ...NOTICE, title: 'ü'.repeat(500), body: '漢'.repeat(5000), replaces, receipt: token, deny: token }
  expect(await world.channel.send(notice, { signal })).toEqual({ ok: true })
  expect(Number(world.requests[0]?.headers['content-length'])).toBeLessThanOrEqual(4096)
})

it.each([404, 410])('takes %i for the end of the subscription', async (status) => {
  await using world = await openWebPush()
  world.behave({ status })
  expect(await world.channel.send(NOTICE, { signal })).toMatchObject({ ok: false, how: 'gone' })
})

it('refuses keys that are none, instead of throwing', async () => {
  const channel = createWebPushChannel({
    to: 'dev_00000000000000000000000001',
    subscription: { endpoint: 'https://push.example/x', keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } },
    keys: webPush.generateVAPIDKeys(),
    subject: () => 'https://holdpoint.example',
    outbound: createOutbound({ allowed: [] }),
  })
  expect(await channel.send(NOTICE, { signal })).toMatchObject({ ok: false, how: 'refused' })
})
