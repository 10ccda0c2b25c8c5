import { Channel, ChannelInput } from '@holdpoint/schema/notification'
import { expect, it } from 'vitest'
import { channelOf, draftOf, isComplete } from './channel-draft.ts'

const base = { name: 'Team', enabled: true, settings: { kinds: ['ask'], content: 'names' } } as const
const stored = { id: 'chn_0123456789abcdefghjkmnpqrs', createdAt: 1 }

it.each([
  { type: 'webhook', url: 'https://hooks.example/x', secret: 'whsec_…' },
  { type: 'ntfy', server: 'https://ntfy.example', topic: 'gate', token: 'tk_…' },
  {
    type: 'telegram',
    token: '123:…',
    chatId: '-100',
    server: 'https://bots.example',
    senders: [{ userId: '7', deviceId: 'dev_0123456789abcdefghjkmnpqrs' }],
    mayAllow: true,
  },
])('sends a channel back as it was shown where nothing was changed: %j', (target) => {
  const channel = Channel.parse({ ...base, ...stored, target })
  expect(channelOf(draftOf(channel))).toEqual({ ...base, target })
})

it('leaves out what was not filled in, and does not send what is not complete', () => {
  const empty = draftOf(undefined)
  expect(isComplete(channelOf(empty))).toBe(false)
  const typed = { ...empty, name: ' Team ', url: ' https://hooks.example/x ' }
  expect(channelOf(typed).target).toEqual({ type: 'webhook', url: 'https://hooks.example/x' })
  expect(ChannelInput.safeParse(channelOf(typed)).success).toBe(true)
  expect(isComplete(channelOf(typed))).toBe(true)
  expect(isComplete(channelOf({ ...typed, type: 'ntfy' }))).toBe(false)
  expect(isComplete(channelOf({ ...typed, type: 'ntfy', server: 'https://ntfy.sh', topic: 'a' }))).toBe(true)
  expect(isComplete(channelOf({ ...typed, type: 'telegram', secret: 't' }))).toBe(false)
})
