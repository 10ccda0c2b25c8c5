import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { createParser } from 'eventsource-parser'
import { until } from '../until.ts'

type Data<Type extends StreamEvent['type']> = StreamEvent extends infer Each
  ? Each extends { type: infer Types; data: infer Value }
    ? Type extends Types
      ? Value
      : never
    : never
  : never

/** A client of the turn stream that reads one reply as it comes. With `content` it sends, else it joins. */
export async function openTurn(
  url: string,
  sessionId: string,
  options: { headers: Record<string, string>; content?: string; body?: unknown; idempotencyKey?: string },
) {
  const leaving = new AbortController()
  const body = options.body ?? (options.content === undefined ? undefined : { content: options.content })
  const reply = await fetch(`${url}/api/sessions/${sessionId}/${body === undefined ? 'stream' : 'messages'}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...options.headers,
      accept: 'text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: leaving.signal,
  })
  const events: StreamEvent[] = []
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
  let raw = ''

  async function read() {
    const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as StreamEvent) })
    const decoder = new TextDecoder()
    for await (const chunk of reply.body ?? []) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true })
      raw += text
      parser.feed(text)
    }
  }
  const ended = isStream
    ? read()
        .then(() => 'ended' as const)
        .catch(() => 'broken' as const)
    : undefined

  return {
    status: reply.status,
    headers: reply.headers,
    /** Of a reply that is no stream. */
    body: (isStream ? undefined : await reply.json()) as { error?: string; code?: string; [field: string]: unknown },
    /** Everything that came, in order. */
    events,
    raw: () => raw,
    types: () => events.map(({ type }) => type),
    data: <Type extends StreamEvent['type']>(type: Type) =>
      events.filter((event) => event.type === type).map(({ data }) => data as Data<Type>),
    text: () => events.map((event) => (event.type === 'text_delta' ? event.data.text : '')).join(''),
    /** The first event of this type that fits, as soon as it is there. */
    event: <Type extends StreamEvent['type']>(type: Type, fits: (data: Data<Type>) => boolean = () => true) =>
      until(() => events.find((event) => event.type === type && fits(event.data as Data<Type>))?.data, type).catch(
        (error: unknown) => {
          throw new Error(JSON.stringify(events), { cause: error })
        },
      ) as Promise<Data<Type>>,
    /** Resolves when the gateway has ended the stream. */
    async over(): Promise<StreamEvent[]> {
      const how = await ended
      if (how !== 'ended') throw new Error(`the stream is ${how}: ${JSON.stringify(events)}`)
      return events
    },
    ended,
    leave: () => leaving.abort(),
  }
}
