import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import { publicOutcome } from '../answering.ts'

/** An event as clients get it. */
export function eventText(event: DurableEvent | LiveEvent): string {
  return JSON.stringify(event.type === 'ask-settled' ? { ...event, outcome: publicOutcome(event.outcome) } : event)
}
