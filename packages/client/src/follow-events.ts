import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Call, Reply, Wire } from './transport.ts'

/**
 * Follows a reply of server-sent events until it ends. The reply of a refusal is given back as it came. What `onEvent`
 * throws ends it, and is thrown here; so is the transport's fault when the stream breaks off or the call is aborted.
 */
export async function followEvents(
  wire: Pick<Wire, 'call'>,
  call: Call,
  { onEvent, signal }: { readonly onEvent: (event: EventSourceMessage) => void; readonly signal?: AbortSignal },
): Promise<Reply> {
  const over = new AbortController()
  let thrown: { readonly error: unknown } | undefined
  const parser = createParser({
    onEvent(event) {
      if (over.signal.aborted || signal?.aborted) return
      try {
        onEvent(event)
      } catch (error) {
        thrown = { error }
        over.abort()
      }
    },
  })
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  try {
    const onText = (text: string) => parser.feed(text)
    const reply = await wire.call({ ...call, accept: 'text/event-stream', onText, signal: either })
    if (thrown) throw thrown.error
    return reply
  } catch (fault) {
    throw thrown ? thrown.error : fault
  }
}
