import { describe, expect, it } from 'vitest'
import { createFloodLimit } from './flood-limit.ts'

const MEGABYTE = 1024 * 1024

describe('createFloodLimit', () => {
  it('F46 lets a burst through and slows down what does not end', () => {
    let now = 0
    const limit = createFloodLimit(() => now)
    let read = 0
    while (limit.read(64 * 1024) === 0) read += 64 * 1024
    expect(read / MEGABYTE).toBeCloseTo(8, 0)
    const from = read
    // A minute of a program that writes as fast as it is read.
    for (const end = now + 60_000; now < end; ) {
      now += limit.read(64 * 1024)
      read += 64 * 1024
    }
    expect((read - from) / 60 / MEGABYTE).toBeLessThan(1.6)
    now += 10_000
    expect(limit.read(MEGABYTE)).toBe(0)
  })
})
