import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Delivery, GivenAnswer, Raise, Sighting, Told, Withdrawal } from './history.ts'

/** The parts of a run that are still written to. */
export interface Notes {
  readonly raises: (Raise & { readonly tries: Told<AskId>[] })[]
  readonly answers: (GivenAnswer & { readonly tries: GivenAnswer['tries'][number][] })[]
  readonly withdrawals: Withdrawal[]
  readonly deliveries: Delivery[]
  readonly ended: SessionId[]
  readonly sightings: Sighting[]
  /** Asks that somebody was shown, by session and request. */
  readonly seen: Map<string, Ask>
}

export function createNotes(): Notes {
  return { raises: [], answers: [], withdrawals: [], deliveries: [], ended: [], sightings: [], seen: new Map() }
}
