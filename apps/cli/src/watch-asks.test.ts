import { afterEach, expect, it, vi } from 'vitest'
import { createApi } from './api.ts'
import { watchAsks } from './watch-asks.ts'

afterEach(() => vi.unstubAllGlobals())

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
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  const api = createApi(async () => ['http://127.0.0.1:1'], 'token')
  const ending = new AbortController()
  const watching = watchAsks(api, { json: false, signal: ending.signal })
  await expect.poll(() => isRead).toBe(true)
  ending.abort()
  await watching
  expect(isCancelled).toBe(true)
})
