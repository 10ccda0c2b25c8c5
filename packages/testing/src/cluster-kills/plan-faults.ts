import { seededRandom } from '../seeded-random.ts'

/** In fifty faults. */
const IN_FIFTY = {
  'gateway killed': 3,
  'gateway killed in a commit': 6,
  'gateway stopped in a commit and woken': 4,
  'stopped gateway woken beside its next life': 4,
  'PostgreSQL backend ended': 4,
  'all of PostgreSQL killed': 2,
  'lines cut': 3,
  'commit cut on its way': 6,
  'reply to a commit cut': 6,
  'commit late': 3,
  'commit cut while it waits': 6,
  'credential revoked unheard': 3,
} as const
export type FaultName = keyof typeof IN_FIFTY

const MOST_ANSWERS = 4

export interface PlannedFault {
  readonly name: FaultName
  /** The place of its gateway among all, from 0. */
  readonly gateway: number
  /** Made once agents were told so many more outcomes after the fault before it. */
  readonly answers: number
  /** From 0 to 1: how long it lasts, or where it cuts. */
  readonly size: number
}

/** So many faults in a random order, in which each kind has its share. The same seed gives the same plan. */
export function planFaults(count: number, { seed, gateways }: { seed: number; gateways: number }): PlannedFault[] {
  const random = seededRandom(seed)
  const fifty = Object.entries(IN_FIFTY).flatMap(([name, share]) => Array<FaultName>(share).fill(name as FaultName))
  return Array.from({ length: count }, (_, index) => ({
    name: fifty[index % fifty.length] as FaultName,
    order: random(),
    gateway: Math.floor(random() * gateways),
    answers: 1 + Math.floor(random() * MOST_ANSWERS),
    size: random(),
  }))
    .sort((a, b) => a.order - b.order)
    .map(({ order: _, ...fault }) => fault)
}
