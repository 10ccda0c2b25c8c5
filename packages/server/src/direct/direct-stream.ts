import type { DirectStream, DirectStreamHandlers } from '@holdpoint/schema/direct-endpoint'
import type { DeviceId } from '@holdpoint/schema/id'
import { Subscribe } from '@holdpoint/schema/stream'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { type Devices, sees } from '../auth/devices.ts'
import { admit, type GuardOptions, type RequestFacts } from '../auth/guard.ts'
import { socketText } from '../stream/event-text.ts'
import { snapshotTexts, writePieces } from '../stream/snapshot.ts'
import { type Sink, type SubscriptionDeps, subscribe } from '../stream/subscription.ts'
import type { Log } from '../system/log.ts'
import { refusal } from '../transport/errors.ts'

/** Frames that may wait for a reader that does not get its turn; then it has to come again. */
const HIGH_WATER = 1000
const BEAT_MS = 30_000

interface DirectStreamOptions extends SubscriptionDeps {
  readonly devices: Devices
  readonly log: Log
  readonly deviceId: DeviceId
  readonly guard: GuardOptions
  readonly facts: RequestFacts
}

export function createDirectStreams(options: DirectStreamOptions) {
  const { devices, fanOut, deviceId } = options
  const open = new Set<(end: 'lost' | 'unauthorized') => void>()
  devices.onRevoked((id) => {
    if (id === deviceId) for (const end of [...open]) end('unauthorized')
  })

  return (handlers: DirectStreamHandlers): DirectStream => {
    const waiting: (() => void)[] = []
    let isOver = false
    let subscription: { sink: Sink; over: AbortController } | undefined
    let whenRead: (() => void)[] = []
    let unread = 0

    /** Not at once: a handler's fault must not reach whoever publishes, and what it does must not overtake the rest. */
    function later(act: () => void) {
      waiting.push(act)
      if (waiting.length === 1) setImmediate(run)
    }

    function run() {
      const due = waiting.splice(0)
      unread = 0
      for (const act of due) act()
      const readers = whenRead
      whenRead = []
      for (const resolve of readers) resolve()
      if (subscription) fanOut.drained(subscription.sink)
    }

    const frame = (text: string) => {
      unread++
      later(() => {
        if (!isOver) handlers.onFrame(text)
      })
    }

    function leave() {
      subscription?.over.abort()
      if (subscription) fanOut.leave(subscription.sink)
      subscription = undefined
    }

    function release() {
      open.delete(end)
      clearInterval(beat)
      leave()
    }

    function end(why: 'lost' | 'unauthorized') {
      if (!open.has(end)) return
      release()
      later(() => {
        if (isOver) return
        isOver = true
        handlers.onEnd(why)
      })
    }

    async function onSubscribe({ type, ref, ...cursor }: Subscribe): Promise<void> {
      leave()
      const device = devices.current(deviceId)
      if (!device) return end('unauthorized')
      const over = new AbortController()
      const sink: Sink = {
        wants: (id) => (!cursor.sessionId || cursor.sessionId === id) && sees(device, id),
        get writable() {
          return unread < HIGH_WATER
        },
        write: (frames) => {
          for (const one of frames) frame(socketText(one))
        },
        notify: (what) => frame(JSON.stringify({ type: what })),
        writeSnapshot: (snapshot) =>
          writePieces(snapshotTexts(snapshot), { write: frame, ready: () => sink.ready(), signal: over.signal }),
        ready: () => (unread < HIGH_WATER ? Promise.resolve() : new Promise((resolve) => whenRead.push(resolve))),
        drop: () => end('lost'),
      }
      subscription = { sink, over }
      await subscribe(options, {
        sink,
        device,
        signal: over.signal,
        ...cursor,
        ...(ref !== undefined && {
          onCaughtUp: (partial) => frame(JSON.stringify({ type: 'subscribed', ref, partial })),
        }),
      })
      if (over.signal.aborted) fanOut.leave(sink)
    }

    const beat = setInterval(() => {
      if (!devices.current(deviceId)) end('unauthorized')
    }, BEAT_MS).unref()
    open.add(end)
    const admission = admit(options.facts, { action: 'read-events' }, options.guard)
    if (admission.ok) later(() => isOver || handlers.onOpen())
    else end(admission.refusal === 'unauthorized' ? 'unauthorized' : 'lost')

    return {
      send(text) {
        if (!open.has(end)) return
        const parsed = parseStrictJson(text)
        const read = Subscribe.safeParse(parsed.ok ? parsed.value : undefined)
        if (!read.success) return frame(JSON.stringify({ type: 'error', ...refusal('invalid_request').body }))
        onSubscribe(read.data).catch((error: unknown) => {
          options.log.error('stream_failed', { error: String(error) })
          end('lost')
        })
      },
      close() {
        isOver = true
        release()
      },
    }
  }
}
