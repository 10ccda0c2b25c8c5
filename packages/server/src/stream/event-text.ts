import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import { publicOutcome } from '../answering.ts'
import type { Frame } from './fan-out.ts'

/** An event as clients get it. */
export function eventText(event: DurableEvent | LiveEvent): string {
  return JSON.stringify(event.type === 'ask-settled' ? { ...event, outcome: publicOutcome(event.outcome) } : event)
}

/** A frame as it goes over a WebSocket; made once for all. */
export function socketText(frame: Frame): string {
  frame.socketText ??=
    frame.seq === undefined
      ? `{"type":"live","event":${eventText(frame.event)}}`
      : `{"type":"event","seq":${frame.seq},"event":${eventText(frame.event)}}`
  return frame.socketText
}
