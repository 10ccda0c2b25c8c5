import type { Append } from '@holdpoint/core/store'

/** An append with everything that can throw for a bad value behind it, so that none fails half way through a commit. */
export interface EncodedAppend {
  readonly append: Append
  /** One text for each event. */
  readonly events: readonly string[]
  readonly session: string
}

export function encodeAppend(append: Append): EncodedAppend {
  if (append.session.id !== append.sessionId) throw new TypeError(`${append.session.id} is not ${append.sessionId}`)
  const events = append.events.map((event) => {
    if (event.sessionId !== append.sessionId) {
      throw new TypeError(`An event of ${event.sessionId} cannot be appended to ${append.sessionId}`)
    }
    return JSON.stringify(event)
  })
  return { append, events, session: JSON.stringify(append.session) }
}
