import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** `silent`: no reply. `huge`: a reply without end. `cut`: the connection is closed instead. */
export type ReceiverReply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'silent'
  | 'huge'
  | 'cut'

/** A server on loopback in the place of somebody else's. `gone` aborts when the caller has closed the connection. */
export async function startStandInReceiver(
  reply: (request: ReceivedRequest, gone: AbortSignal) => ReceiverReply | Promise<ReceiverReply>,
) {
  const server = createServer((request, response) => void handle(request, response))

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const pieces: Buffer[] = []
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
    const { url: path = '', headers } = request
    const how = await reply({ path, headers, body: Buffer.concat(pieces).toString('utf8') }, gone.signal)
    if (how === 'cut') response.destroy()
    if (how === 'huge') sendWithoutEnd(response)
    if (typeof how === 'object') response.writeHead(how.status, how.headers).end(how.body)
  }

  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    /** As `createOutbound` wants it in its list. */
    place: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function sendWithoutEnd(response: ServerResponse) {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(10_000)));
  }
  response.writeHead(200).on('drain', more)
  more()
}
