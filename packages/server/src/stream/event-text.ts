import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { Frame } from './fan-out.ts'
import { lightEvent } from './light.ts'
import { publicOutcome } from './public-outcome.ts'

/** An event as clients get it. */
export function eventText(event: DurableEvent | LiveEvent): string {
  switch (event.type) {
    case 'ask-settled':
      return JSON.stringify({ ...event, outcome: publicOutcome(event.outcome) })
    case 'ask-raised':
    case 'item-added':
      return JSON.stringify(lightEvent(event))
    default:
      return JSON.stringify(event)
  }
}

/** A frame as it goes over a WebSocket; made once for all. */
export function socketText(frame: Frame): string {
  frame.socketText ??= frame.place
    ? `{"type":"event","seq":${frame.place.seq},"cursor":"${frame.place.cursor}","event":${eventText(frame.event)}}`
    : `{"type":"live","event":${eventText(frame.event)}}`
  return frame.socketText
}
