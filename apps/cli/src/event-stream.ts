export interface ServerEvent {
  readonly id?: string
  readonly type: string
  readonly data: string
}

/** Server-sent events, one by one, until the stream ends. */
export async function* readEventStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readBlock(block)
      if (event) yield event
    }
  }
}

/** Undefined for a comment that only keeps the connection alive. */
function readBlock(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }
  const data = fields.get('data')
  const id = fields.get('id')
  return data === undefined
    ? undefined
    : { type: fields.get('event') ?? 'message', data, ...(id !== undefined && { id }) }
}
