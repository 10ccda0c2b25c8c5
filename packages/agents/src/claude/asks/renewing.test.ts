import type { AskRequest } from '@holdpoint/schema/ask'
import { expect, it } from 'vitest'
import { renewing } from './renewing.ts'

it('keeps the request that was made anew, and not a refusal', async () => {
  const kept: unknown[] = []
  const request = { requestId: 'one' } as AskRequest
  let next: AskRequest | { refusal: string } = request
  const renew = renewing(
    async () => next,
    (made) => kept.push(made),
  )
  expect(await renew()).toBe(request)
  next = { refusal: 'The plan can no longer be read.' }
  expect(await renew()).toBe(next)
  expect(kept).toEqual([request])
})
