import { expect, it } from 'vitest'
import { coalesce } from './coalesce.ts'

it('gives whoever asks a look that began after they asked, and no more looks than that takes', async () => {
  const begun: (() => void)[] = []
  const look = coalesce(() => new Promise((resolve) => begun.push(resolve)))
  const first = look()
  const [second, third] = [look(), look()]
  expect(begun).toHaveLength(1)
  begun[0]?.()
  await first
  await expect.poll(() => begun.length).toBe(2)
  const fourth = look()
  begun[1]?.()
  await Promise.all([second, third])
  await expect.poll(() => begun.length).toBe(3)
  begun[2]?.()
  await fourth
  expect(begun).toHaveLength(3)
})
