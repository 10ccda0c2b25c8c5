import { channelContract, NOTICE } from '@holdpoint/testing/channel-contract'
import { type ReceivedRequest, type ReceiverReply, startStandInReceiver } from '@holdpoint/testing/stand-in-receiver'
import { expect, it } from 'vitest'
import { createNtfyChannel } from './ntfy-channel.ts'
import { createOutbound } from './outbound.ts'

const TAKEN = { status: 200, body: '{"id":"hwQ2YpKdmg","event":"message"}' }

async function openNtfy(options: { token?: string } = { token: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2' }) {
  let behaviour: ReceiverReply = TAKEN
  const requests: ReceivedRequest[] = []
  const receiver = await startStandInReceiver((request) => {
    requests.push(request)
    return behaviour
  })
  const outbound = createOutbound({ allowed: [receiver.place], timeLimitMs: 200 })
  return {
    channel: createNtfyChannel({ server: receiver.url, topic: 'shop-asks', ...options, outbound }),
    requests,
    behave(how: ReceiverReply | 'well') {
      behaviour = how === 'well' ? TAKEN : how
    },
    received: () => requests.map(({ body }) => String(JSON.parse(body).sequence_id)),
    secrets: [options.token ?? ''],
    logged: () => '',
    killReceiver: receiver.close,
    [Symbol.asyncDispose]: receiver.close,
  }
}

channelContract('ntfy', openNtfy)

const signal = new AbortController().signal

it('publishes to the topic as JSON, with the token, and no token of a button', async () => {
  await using world = await openNtfy()
  await world.channel.send({ ...NOTICE, deny: 'deny-token', allow: 'allow-token' }, { signal })
  const [request] = world.requests
  expect(request?.path).toBe('/')
  expect(request?.headers.authorization).toBe('Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2')
  expect(JSON.parse(request?.body ?? '')).toEqual({
    topic: 'shop-asks',
    title: 'Bash in shop',
    message: 'npm run deploy – “now”',
    click: NOTICE.url,
    tags: ['raised_hand'],
    priority: 4,
    sequence_id: NOTICE.tag,
  })
})

it('makes no sound for what only replaces, and sends no header without a token', async () => {
  await using world = await openNtfy({})
  await world.channel.send({ ...NOTICE, silent: true, tag: 'not a sequence' }, { signal })
  expect(world.requests[0]?.headers.authorization).toBeUndefined()
  const body = JSON.parse(world.requests[0]?.body ?? '')
  expect(body.priority).toBe(2)
  expect(body).not.toHaveProperty('sequence_id')
})
