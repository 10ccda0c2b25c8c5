import { expect, it } from 'vitest'
import { createFakeTimers, settled } from './fixtures/fake-timers.ts'
import { createListeners, createNotifier } from './notifier.ts'

it('tells of a change at once after a quiet time, and of many together when it is busy', async () => {
  const time = createFakeTimers()
  let pictures = 0
  const notifier = createNotifier({ timers: time.timers, publish: () => pictures++ })
  for (let change = 0; change < 100; change++) notifier.changed()
  expect(pictures).toBe(0)
  await settled()
  expect(pictures).toBe(1)
  for (let ms = 0; ms < 1000; ms++) {
    notifier.changed()
    await time.advance(1)
  }
  expect(pictures).toBeGreaterThan(25)
  expect(pictures).toBeLessThan(35)
  await time.advance(1_000)
  const before = pictures
  notifier.changed()
  await settled()
  expect(pictures).toBe(before + 1)
})

it('has what is urgent wait for a frame at most, also behind what is not', async () => {
  const time = createFakeTimers()
  let pictures = 0
  const notifier = createNotifier({ timers: time.timers, publish: () => pictures++ })
  notifier.changed()
  await settled()
  notifier.changed()
  await time.advance(1)
  notifier.changed({ isUrgent: true })
  notifier.changed()
  await time.advance(15)
  expect(pictures).toBe(2)
  expect(time.waiting()).toBe(0)
  await time.advance(17)
  notifier.changed()
  notifier.changed({ isUrgent: true })
  await settled()
  expect(pictures).toBe(3)
})

it('makes no more pictures of a flood than a screen has frames', async () => {
  const time = createFakeTimers()
  let pictures = 0
  const notifier = createNotifier({ timers: time.timers, publish: () => pictures++ })
  for (let ms = 0; ms < 1000; ms++) {
    notifier.changed({ isUrgent: true })
    await time.advance(1)
  }
  expect(pictures).toBeGreaterThan(55)
  expect(pictures).toBeLessThan(65)
})

it('is not held up by a clock that was put back', async () => {
  const time = createFakeTimers()
  let pictures = 0
  const notifier = createNotifier({ timers: time.timers, publish: () => pictures++ })
  notifier.changed()
  await settled()
  time.sleep(-3_600_000)
  notifier.changed()
  await time.advance(40)
  expect(pictures).toBe(2)
})

it('says nothing after its close', async () => {
  const time = createFakeTimers()
  let pictures = 0
  const notifier = createNotifier({ timers: time.timers, publish: () => pictures++ })
  notifier.changed()
  notifier.close()
  notifier.changed()
  await time.advance(100)
  expect(pictures).toBe(0)
})

it('tells the same listener as often as it was given, until it is taken back', () => {
  const listeners = createListeners()
  let calls = 0
  const listener = () => calls++
  const [first, second] = [listeners.subscribe(listener), listeners.subscribe(listener)]
  listeners.notify()
  first()
  listeners.notify()
  second()
  listeners.notify()
  expect(calls).toBe(3)
})
