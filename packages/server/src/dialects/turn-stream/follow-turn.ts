import type { SessionView } from '@holdpoint/core/session-view'
import type { Device } from '@holdpoint/schema/device'
import type { Session } from '@holdpoint/schema/session'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { type FollowingDeps, followSessions } from '../../stream/follow-sessions.ts'
import type { TextSink } from '../../transport/text-sink.ts'
import type { Turn } from './turn.ts'

/**
 * Follows a session from now on, and keeps what happens until there is somebody to tell it to: a message must not be
 * handed over before its sender can be told what comes of it.
 */
export function followTurn(
  services: FollowingDeps,
  options: { readonly device: Device; readonly session: Session; readonly signal: AbortSignal },
): { tell(turn: Turn, out: TextSink): void } {
  const { device, session } = options
  const done = new AbortController()
  const kept: ((turn: Turn) => StreamEvent[])[] = []
  let take = (step: (turn: Turn) => StreamEvent[]) => void kept.push(step)
  let first = viewOfEnded(session)
  let reader: TextSink | undefined
  let isDropped = false

  function drop() {
    isDropped = true
    reader?.destroy()
  }

  const { started, drained } = followSessions(services, {
    device,
    sessionId: session.id,
    signal: AbortSignal.any([options.signal, done.signal]),
    channel: {
      get writable() {
        return reader?.writable ?? true
      },
      ready: () => reader?.ready() ?? Promise.resolve(),
      drop,
    },
    follower: {
      onStart([view = first]) {
        first = view
      },
      onChange: (change) => take((turn) => turn.change(change)),
      onLive: (event) => take((turn) => turn.live(event)),
    },
  })
  started.catch((error: unknown) => {
    services.log.error('dialect_failed', { error: String(error) })
    drop()
  })

  return {
    tell(turn, out) {
      reader = out
      if (isDropped) return out.destroy()
      out.onDrain(drained)
      take = (step) => {
        if (turn.isOver) return
        const events = step(turn)
        if (events.length > 0) out.write(events.map(frame).join(''))
        if (!turn.isOver) return
        done.abort()
        out.end()
      }
      take((told) => told.start(first))
      for (const step of kept.splice(0)) take(step)
    },
  }
}

/** A session that ended so long ago that nothing is kept of it in memory. */
function viewOfEnded(session: Session): SessionView {
  return { session, asks: new Map(), undelivered: new Map(), rules: [], queue: [] }
}

function frame(event: StreamEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
