import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Message, MessagesRequest } from './messages-api.ts'
import { readModelCall } from './model-call.ts'
import { writeError, writeJson, writeReply } from './reply-writer.ts'
import { type ModelCall, type Script, say } from './script.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const MAX_KEPT_REQUESTS = 200
const MAX_KEPT_BYTES = 16 * 1024 * 1024
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

export interface DemoModelOptions {
  readonly script: Script
  readonly port?: number
  readonly host?: string
}

/** A call of an agent's loop, as it arrived. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly tools: readonly string[]
  readonly systemLength: number
  readonly subagent: boolean
}

export interface DemoModel {
  readonly url: string
  readonly port: number
  /** The last calls of agents' loops, oldest first; bounded in number and bytes. */
  readonly requests: readonly ModelRequest[]
  /** Breaks every reply still under way, the hanging ones included. */
  close(): Promise<void>
}

/** An Anthropic-compatible Messages endpoint on loopback that plays a script. It wants no key and checks none. */
export async function startDemoModel({ script, port = 0, host = '127.0.0.1' }: DemoModelOptions): Promise<DemoModel> {
  if (!LOOPBACK.has(host)) throw new RangeError(`the demo model listens on loopback only, not on ${host}`)
  const closing = new AbortController()
  const requests = requestRing()

  const server = createServer((request, response) => {
    // A write to a caller that has just left fails on the stream; there is nobody to tell.
    response.on('error', () => {})
    serve(request, response).catch((error: unknown) => {
      if (closing.signal.aborted || response.destroyed) return void response.destroy()
      if (response.headersSent) return void response.destroy()
      writeError(response, { status: 500, type: 'api_error', message: `the script failed: ${messageOf(error)}` })
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0]
    const counting = path === '/v1/messages/count_tokens'
    if (request.method !== 'POST' || (path !== '/v1/messages' && !counting)) {
      request.resume()
      return writeError(response, { status: 404, type: 'not_found_error', message: `nothing at ${path}` })
    }
    const body = await readBody(request)
    if (body === undefined) {
      response.setHeader('connection', 'close')
      return writeError(response, { status: 413, type: 'request_too_large', message: 'the body is over 32 MiB' })
    }
    const parsed = MessagesRequest.safeParse(parseJson(body))
    if (!parsed.success) {
      return writeError(response, { status: 400, type: 'invalid_request_error', message: parsed.error.message })
    }
    if (counting) return writeJson(response, 200, { input_tokens: Math.ceil(body.length / 4) })
    const call = readModelCall(parsed.data)
    if (call) requests.add(call, body.length)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const signal = AbortSignal.any([closing.signal, gone.signal])
    const reply = call ? await script(call) : say('Demo')
    signal.throwIfAborted()
    const { model, stream = false, safeguards } = parsed.data
    await writeReply(response, reply, { model, stream, isChecked: safeguards !== undefined, call, signal })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}`,
    port: address.port,
    requests: requests.list,
    async close() {
      if (closing.signal.aborted) return
      closing.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function requestRing() {
  const list: ModelRequest[] = []
  const sizes: number[] = []
  let bytes = 0
  return {
    list: list as readonly ModelRequest[],
    add(call: ModelCall, size: number) {
      const { messages, tools, system, subagent } = call
      list.push({ messages, tools, systemLength: system.length, subagent })
      sizes.push(size)
      bytes += size
      while (list.length > MAX_KEPT_REQUESTS || (bytes > MAX_KEPT_BYTES && list.length > 1)) {
        list.shift()
        bytes -= sizes.shift() ?? 0
      }
    },
  }
}

/** Undefined when there is too much of it. The rest is then read and dropped, so that the caller hears the refusal. */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk)
      chunks.length = 0
      resolve(undefined)
    })
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    request.once('error', reject)
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
