import type { DeviceId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { createReceived, SMALL_BODY } from './received.ts'

const [one, other, third] = ['dev_1', 'dev_2', 'dev_3'] as DeviceId[]
const MEGABYTE = 1024 * 1024

it('I10 has room for large bodies of a credential up to its limit, and of all up to theirs', () => {
  const received = createReceived()
  const bodies = (holder: DeviceId | undefined, count: number) =>
    Array.from({ length: count }, () => received.body(holder)).map((body) => ({ body, fits: body.note(8 * MEGABYTE) }))
  const first = bodies(one, 5)
  expect(first.map(({ fits }) => fits)).toEqual([true, true, true, true, false])
  first.at(-1)?.body.note(0)
  expect(bodies(other, 4).map(({ fits }) => fits)).toEqual([true, true, true, true])
  expect(received.size()).toBe(64 * MEGABYTE)
  // All is used up: whoever holds little itself may send one all the same.
  const [last, refused] = bodies(third, 2)
  expect([last?.fits, refused?.fits]).toEqual([true, false])
  for (const { body } of first) body.note(0)
  expect(bodies(third, 1).map(({ fits }) => fits)).toEqual([true])
})

it('I10 has room of its own for the small bodies of each credential, however much is sent besides', () => {
  const received = createReceived()
  while (received.body(one).note(8 * MEGABYTE));
  while (received.body(other).note(8 * MEGABYTE));
  for (const holder of [one, other, third]) expect(received.body(holder).note(SMALL_BODY), holder).toBe(true)
  let small = 1
  while (received.body(one).note(SMALL_BODY)) small++
  expect(small).toBe((4 * MEGABYTE) / SMALL_BODY)
  for (const holder of [other, third]) expect(received.body(holder).note(SMALL_BODY), holder).toBe(true)
})

it('I10 counts a body once, also when it grows from a small one to a large one', () => {
  const received = createReceived()
  const body = received.body(one)
  expect([body.note(1), received.size()]).toEqual([true, 1])
  expect([body.note(SMALL_BODY), received.size()]).toEqual([true, SMALL_BODY])
  expect([body.note(SMALL_BODY + 1), received.size()]).toEqual([true, SMALL_BODY + 1])
  body.note(0)
  expect(received.size()).toBe(0)
})

it('T47 counts nothing that is sent without a credential: nobody keeps others from logging in', () => {
  const received = createReceived()
  expect(received.body(undefined).note(64 * MEGABYTE)).toBe(true)
  expect(received.size()).toBe(0)
})
