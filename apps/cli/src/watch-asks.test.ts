import { expect, it } from 'vitest'
import type { Api } from './api.ts'
import { watchAsks } from './watch-asks.ts'

it('ends when it is told to, also where fetch has forgotten its signal', async () => {
  let isCancelled = false
  let isRead = false
  const body = new ReadableStream({
    pull: () => {
      isRead = true
      return new Promise(() => {})
    },
    cancel: () => {
      isCancelled = true
    },
  })
  const api = { url: 'http://127.0.0.1:1', stream: async () => new Response(body) } as unknown as Api
  const ending = new AbortController()
  const watching = watchAsks(api, { address: {}, json: false, signal: ending.signal })
  await expect.poll(() => isRead).toBe(true)
  ending.abort()
  await watching
  expect(isCancelled).toBe(true)
})
