import type { ReceivedFrame } from './transport.ts'

const UNREADABLE: ReceivedFrame = { type: 'unreadable' }

/** Reads a frame as far as it must be right to be told apart; `undefined` for types of a later gateway. */
export function readFrame(text: string): ReceivedFrame | undefined {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return UNREADABLE
  }
  if (!isRecord(frame) || typeof frame.type !== 'string') return UNREADABLE
  return Object.hasOwn(HAS_SHAPE, frame.type) ? readKnown(frame, frame.type as KnownType) : undefined
}

type KnownType = Exclude<ReceivedFrame['type'], 'unreadable'> | 'error'

const HAS_SHAPE: Readonly<Record<KnownType, (frame: Record<string, unknown>) => boolean>> = {
  snapshot: (frame) => isPlace(frame) && hasLists(frame),
  'snapshot-part': (frame) => (frame.seq === undefined || isPlace(frame)) && hasLists(frame),
  event: (frame) => isPlace(frame) && isEvent(frame.event),
  live: (frame) => isEvent(frame.event),
  subscribed: (frame) =>
    typeof frame.ref === 'string' && Array.isArray(frame.partial) && frame.partial.every((event) => isEvent(event)),
  'policy-changed': () => true,
  'machines-changed': () => true,
  error: () => false,
}

function readKnown(frame: Record<string, unknown>, type: KnownType): ReceivedFrame {
  return HAS_SHAPE[type](frame) ? (frame as unknown as ReceivedFrame) : UNREADABLE
}

function isPlace({ seq, cursor }: Record<string, unknown>): boolean {
  return Number.isSafeInteger(seq) && (cursor === undefined || typeof cursor === 'string')
}

function hasLists({ sessions, asks, queued }: Record<string, unknown>): boolean {
  return [sessions, asks, queued].every((list) => Array.isArray(list))
}

function isEvent(value: unknown): boolean {
  return isRecord(value) && typeof value.type === 'string' && typeof value.sessionId === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
