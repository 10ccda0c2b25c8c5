import { describe, expect, it } from 'vitest'
import { createScreenKeeper } from './screen-keeper.ts'

describe('the kept screen', () => {
  it.each(['I', 'L', 'M', 'S', 'T', 'Z', 'b'])(
    'F46 is not kept busy by a count of two thousand million for %s',
    async (final) => {
      const screen = createScreenKeeper({ cols: 80, rows: 24 })
      await new Promise<void>((done) => screen.write(`a\x1b[2147483647${final}after`, done))
      expect(screen.lines().join('')).toContain('after')
    },
  )

  it('draws a hidden cursor as hidden', async () => {
    const screen = createScreenKeeper({ cols: 80, rows: 24 })
    await new Promise<void>((done) => screen.write('\x1b[?25lhello', done))
    expect(screen.drawing(0)).toContain('\x1b[?25l')
  })
})
