import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { until } from './until.ts'

/** A client of server-sent events as a browser's `EventSource` is one: it sees messages that have no name of their own. */
export async function openEventSource<Message>(url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: leaving.signal })
  const messages: Message[] = []
  let text = ''
  const closed = (async () => {
    const decoder = new TextDecoder()
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === undefined) messages.push(JSON.parse(data) as Message)
      },
    })
    for await (const chunk of response.body ?? []) {
      const read = decoder.decode(chunk, { stream: true })
      text += read
      parser.feed(read)
    }
  })().catch(() => {})

  return {
    response,
    messages,
    /** Everything that came, comments included. */
    text: () => text,
    /** Resolves when the stream is over, whoever ended it. */
    closed,
    /** The first message that fits, as soon as it is there. */
    message: (fits: (message: Message) => boolean, what = 'a message'): Promise<Message> =>
      until(() => messages.find(fits), what),
    close: () => leaving.abort(),
  }
}

/** The events of a stream that has been read to its end. One that is not whole is left out. */
export function eventsIn(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = []
  createParser({ onEvent: (event) => events.push(event) }).feed(text)
  return events
}
