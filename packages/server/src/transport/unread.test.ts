import type { DeviceId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { createUnread } from './unread.ts'

const [one, other, third] = ['dev_1', 'dev_2', 'dev_3'] as DeviceId[]

it('F58 has room for each credential until it leaves too much, and for all until all do', () => {
  const unread = createUnread({ perCredential: 100, inAll: 110, share: 0 })
  const first = unread.connection(one)
  expect(first.note(60)).toBe(true)
  const second = unread.connection(one)
  // One reply may go beyond: how large it is does not matter then.
  expect(second.note(80)).toBe(true)
  expect([unread.hasRoom(one), unread.hasRoom(other)]).toEqual([false, true])
  expect(unread.connection(other).note(20)).toBe(true)
  expect([unread.hasRoom(other), unread.hasRoom(third), unread.hasRoom(undefined)]).toEqual([false, false, false])
  second.note(0)
  expect([unread.hasRoom(one), unread.hasRoom(third)]).toEqual([true, true])
  expect(unread.size()).toBe(80)
})

it('F58 tells a connection that has more to take while there is no room, not one that has less', () => {
  const unread = createUnread({ perCredential: 100, inAll: 1000, share: 10 })
  const [first, second] = [unread.connection(one), unread.connection(one)]
  expect(first.note(100)).toBe(true)
  expect(second.note(1)).toBe(false)
  expect(first.note(100)).toBe(true)
  expect(first.note(101)).toBe(false)
  expect(first.note(99)).toBe(true)
  expect([first, second].map((connection) => connection.note(0))).toEqual([true, true])
  expect(unread.size()).toBe(0)
})

it('F58 counts a credential for no more than its own limit, and leaves each a share whatever others leave', () => {
  const unread = createUnread({ perCredential: 100, inAll: 300, share: 10 })
  const greedy = unread.connection(one)
  greedy.note(10_000)
  expect([unread.size(), unread.hasRoom(one), unread.hasRoom(other)]).toEqual([10_000, false, true])
  // All is used up by three that have too much themselves.
  const second = unread.connection(other)
  second.note(100)
  unread.connection(third).note(100)
  const fourth = unread.connection('dev_4')
  expect(fourth.note(9)).toBe(true)
  expect(unread.hasRoom('dev_4')).toBe(true)
  expect(fourth.note(10)).toBe(true)
  expect(unread.hasRoom('dev_4')).toBe(false)
  greedy.note(100)
  expect(unread.hasRoom('dev_4')).toBe(false)
  greedy.note(89)
  expect([unread.hasRoom(one), unread.hasRoom('dev_4')]).toEqual([true, true])
  for (const connection of [greedy, second, fourth]) connection.note(0)
  expect(unread.size()).toBe(100)
})
