import type { AskNotices } from '@holdpoint/schema/notification'
import { expect, it } from 'vitest'
import { noticeWords } from './notice-words.ts'

type Step = AskNotices['notified'][number]

const PIXEL = { id: 'dev_pixel', name: 'Pixel' } as const
const MAC = { id: 'dev_mac', name: 'Mac' } as const
const PAD = { id: 'dev_pad', name: 'Pad' } as const
const HOOK = { id: 'chn_hook', name: 'Team hook' } as const
const step = (to: Step['to'], how: Step['step']): Step => ({ to, step: how, at: 1 })
const seenOn = ({ id, name }: { id: string; name: string }) => ({
  by: { device: id, name, role: 'owner' as const },
  at: 2,
})
const MINUTES = 60_000
const words = (notified: readonly Step[], seen: readonly ReturnType<typeof seenOn>[] = []) => {
  const said = noticeWords({ notified: [...notified], seen: [...seen] }, { raisedAt: 0, now: 4 * MINUTES })
  return said && `${said.told}, ${said.seen}`
}

const LONG = { id: 'dev_long', name: 'The old tablet in the kitchen of the office' } as const
const onPhone = (notified: readonly Step[], seen: readonly ReturnType<typeof seenOn>[] = []) => {
  const said = noticeWords({ notified: [...notified], seen: [...seen] }, { raisedAt: 0, now: 4 * MINUTES })
  return said && [said.onPhone.told, said.onPhone.seen]
}

it('has two rows for a phone, with numbers in the place of names that are too long for one', () => {
  const sent = [PIXEL, MAC].map((to) => step(to, 'sent'))
  expect(onPhone([...sent, step(PIXEL, 'shown')])).toEqual([
    'sent to 2 devices, shown on Pixel',
    'seen by nobody for 4 min',
  ])
  expect(onPhone([...sent, step(LONG, 'sent'), step(LONG, 'shown'), step(HOOK, 'failed')], [seenOn(LONG)])).toEqual([
    'sent to 3, shown on 1, not sent to 1',
    'seen on 1 device',
  ])
  expect(onPhone([step(LONG, 'sent')], [seenOn(MAC)])).toEqual(['sent to 1', 'seen on Mac'])
})

it('says nothing where nobody was notified', () => {
  expect(words([])).toBeUndefined()
  expect(words([], [seenOn(MAC)])).toBeUndefined()
})

it.each([
  [[step(PIXEL, 'sent')], [], 'sent to Pixel, seen by nobody for 4 min'],
  [
    [step(PIXEL, 'sent'), step(MAC, 'sent'), step(PIXEL, 'shown')],
    [],
    'sent to 2 devices, shown on Pixel, seen by nobody for 4 min',
  ],
  [[step(PIXEL, 'sent'), step(PIXEL, 'shown')], [seenOn(PIXEL)], 'shown on Pixel, seen on Pixel'],
  [[step(PIXEL, 'sent'), step(HOOK, 'sent')], [seenOn(MAC)], 'sent to 1 device and 1 channel, seen on Mac'],
  [[step(PIXEL, 'failed')], [], 'could not be sent to Pixel, seen by nobody for 4 min'],
  [[step(PIXEL, 'sent'), step(MAC, 'failed')], [], 'sent to Pixel, could not be sent to Mac, seen by nobody for 4 min'],
  // A retry that worked in the end.
  [[step(PIXEL, 'failed'), step(PIXEL, 'sent')], [], 'sent to Pixel, seen by nobody for 4 min'],
  // A receipt that came before the push service's reply was noted.
  [[step(PIXEL, 'shown')], [], 'shown on Pixel, seen by nobody for 4 min'],
  [
    [PIXEL, MAC, PAD].map((to) => step(to, 'shown')),
    [PIXEL, MAC, PAD].map(seenOn),
    'shown on Pixel, Mac and 1 other, seen on Pixel, Mac and 1 other',
  ],
])('tells how far the notifications of an ask came %#', (notified, seen, expected) => {
  expect(words(notified, seen)).toBe(expected)
})
