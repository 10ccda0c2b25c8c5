import { setTimeout as delay } from 'node:timers/promises'
import type { SessionId } from '@holdpoint/schema/id'
import { paths } from '@holdpoint/schema/paths'
import type { EventSourceMessage } from 'eventsource-parser'
import type { Api } from './api.ts'
import { createAskFeed, type FeedEvent } from './ask-feed.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson } from './console/terminal-text.ts'
import { isPassing } from './passing-fault.ts'

const RETRY_MS = 500
const SHOWN_AS_JSON: ReadonlySet<string> = new Set(['snapshot', 'snapshot-part', 'ask-raised', 'ask-settled'])

const HOW_TO_ANSWER = 'To answer, in another terminal: holdpoint answer ID allow | deny | answer --choose NUMBER'

/** Prints asks and outcomes as they come until `signal` aborts. Reconnects when the gateway is lost. */
export async function watchAsks(
  api: Api,
  options: { sessionId?: SessionId | undefined; json: boolean; signal: AbortSignal },
): Promise<void> {
  const { signal, sessionId } = options
  const feed = createAskFeed({ now: Date.now, width: () => ({ columns: process.stdout.columns }) })
  let cursor: string | undefined
  let lost = false
  if (!options.json && process.stdout.isTTY) console.error(HOW_TO_ANSWER)

  function onOpen() {
    if (lost) console.error('The gateway is back.')
    lost = false
  }

  function onEvent({ id, event: type = '', data }: EventSourceMessage) {
    cursor = id ?? cursor
    const event = JSON.parse(data) as FeedEvent
    if (!options.json) for (const line of feed.hear(event)) console.log(line)
    else if (SHOWN_AS_JSON.has(type)) console.log(terminalJson(event))
  }

  while (!signal.aborted) {
    try {
      const given = { query: { sessionId, after: cursor } }
      await api.follow(paths.system.events, given, { signal, onOpen, onEvent })
    } catch (error) {
      if (signal.aborted) return
      if (cursor === undefined || !isPassing(error)) throw error
    }
    if (signal.aborted) return
    if (!lost) console.error('The connection to the gateway is lost. Waiting for it …')
    lost = true
    await delay(RETRY_MS, undefined, { signal }).catch(() => {})
  }
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
