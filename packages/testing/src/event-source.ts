import { until } from './until.ts'

/** A client of server-sent events as a browser's `EventSource` is one: it sees messages that have no name of their own. */
export async function openEventSource<Message>(url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: leaving.signal })
  const messages: Message[] = []
  let text = ''
  const closed = (async () => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const read = decoder.decode(chunk, { stream: true })
      text += read
      rest += read
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const lines = block.split('\n')
        if (lines.some((line) => line.startsWith('event:'))) continue
        const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6))
        if (data.length > 0) messages.push(JSON.parse(data.join('\n')) as Message)
      }
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
export type EventSourceClient<Message> = Awaited<ReturnType<typeof openEventSource<Message>>>
