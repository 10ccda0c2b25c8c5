import { paths } from '@holdpoint/schema/paths'
import type { EventSourceMessage } from 'eventsource-parser'
import { expect, it } from 'vitest'
import { callOf } from './endpoint-call.ts'
import { followEvents } from './follow-events.ts'
import { createHttpTransport } from './http-transport.ts'

const EVENTS = callOf(paths.system.events, {})

function transportOf(text: string, size = 1000) {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
      if (at >= bytes.length) controller.close()
    },
  })
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = async () => new Response(body, { headers })
  return createHttpTransport({ baseUrl: 'http://127.0.0.1:1', token: 'token', fetch })
}

it('puts events together from pieces that end anywhere', async () => {
  const text =
    ': here\n\nid: 7\nevent: ask-raised\ndata: {"title":"é: 日本"}\n\nevent: text-delta\ndata: 1\n\nid: 8\nda'
  for (const size of [1, 3, 1000]) {
    const events: EventSourceMessage[] = []
    await followEvents(transportOf(text, size), EVENTS, { onEvent: (event) => events.push(event) })
    expect(events).toEqual([
      { id: '7', event: 'ask-raised', data: '{"title":"é: 日本"}' },
      { event: 'text-delta', data: '1' },
    ])
  }
})

it('ends with what its listener throws, and calls it no more', async () => {
  const heard: string[] = []
  const following = followEvents(transportOf('data: 1\n\ndata: 2\n\n'), EVENTS, {
    onEvent({ data }) {
      heard.push(data)
      throw new RangeError('not this')
    },
  })
  await expect(following).rejects.toThrow(RangeError)
  expect(heard).toEqual(['1'])
})

it('gives back a refusal as it came', async () => {
  const refused = { error: { code: 'unauthorized', message: 'No.' } }
  const fetch = async () => Response.json(refused, { status: 401 })
  const transport = createHttpTransport({ baseUrl: 'http://127.0.0.1:1', token: 'token', fetch })
  expect(await followEvents(transport, EVENTS, { onEvent: () => {} })).toEqual({ status: 401, body: refused })
})
