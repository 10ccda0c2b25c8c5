import { addAbortSignal, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionId } from '@holdpoint/schema/id'
import { type Api, ApiError, UnreachableError } from './api.ts'
import { createAskFeed, type FeedEvent } from './ask-feed.ts'
import { CliError, EXIT } from './cli-error.ts'
import { readEventStream } from './event-stream.ts'
import { type AddressFlags, gatewayAddress } from './gateway-address.ts'
import { terminalJson } from './terminal-text.ts'

const RETRY_MS = 500
const SHOWN_AS_JSON: ReadonlySet<string> = new Set(['snapshot', 'snapshot-part', 'ask-raised', 'ask-settled'])

const HOW_TO_ANSWER = 'To answer, elsewhere: holdpoint answer ID allow | deny | answer --choose NUMBER'

/** Prints asks and outcomes as they come until `signal` aborts. A gateway that goes away is waited for. */
export async function watchAsks(
  api: Api,
  options: { address: AddressFlags; sessionId?: SessionId | undefined; json: boolean; signal: AbortSignal },
): Promise<void> {
  const { signal, sessionId } = options
  const feed = createAskFeed({ now: Date.now, width: () => ({ columns: process.stdout.columns }) })
  const path = `/api/events${sessionId === undefined ? '' : `?sessionId=${sessionId}`}`
  let current = api
  let cursor: string | undefined
  let lost = false
  if (!options.json && process.stdout.isTTY) console.error(HOW_TO_ANSWER)
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor }
      const { body } = await current.stream(path, { headers, signal })
      if (lost) console.error('The gateway is back.')
      lost = false
      // By itself: a signal that was given to fetch is forgotten when its request is collected as garbage.
      const bytes = addAbortSignal(signal, Readable.fromWeb(body as WebStream))
      for await (const { id, type, data } of readEventStream(bytes)) {
        cursor = id ?? cursor
        const event = JSON.parse(data) as FeedEvent
        if (!options.json) for (const line of feed.hear(event)) console.log(line)
        else if (SHOWN_AS_JSON.has(type)) console.log(terminalJson(event))
      }
    } catch (error) {
      if (signal.aborted) return
      if (cursor === undefined || !isPassing(error)) throw error
    }
    if (signal.aborted) return
    if (!lost) console.error('The connection to the gateway is lost. Waiting for it …')
    lost = true
    await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    // It may come back on another port.
    const url = await gatewayAddress(options.address).catch(() => current.url)
    if (url !== current.url) current = current.at(url)
  }
}

/** Whether trying again can help: the gateway is gone or going, or the stream broke off in the middle. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503
  return error instanceof UnreachableError || error instanceof TypeError
}

/** Aborts when a person wants to end what runs. */
export async function untilInterrupted(act: (signal: AbortSignal) => Promise<void>): Promise<never> {
  const ending = new AbortController()
  const end = () => ending.abort()
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  try {
    await act(ending.signal)
  } finally {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
  throw new CliError('Stopped.', EXIT.interrupted)
}
