import type { KnownMachine } from '../machines/machine-of.ts'
import { Age } from '../time/age.tsx'
import { duration } from '../time/ago.ts'

interface LastHeardProps {
  readonly machine: KnownMachine
  /** A fixed time, for pictures and tests; left out, the clock. */
  readonly now?: number | undefined
}

/** Since when a machine is away, as a sentence. A gateway that was stopped has said so. */
export function LastHeard({ machine: { heardAt }, now }: LastHeardProps) {
  if (heardAt === undefined) return 'Its gateway was stopped.'
  return (
    <>Last heard from {now === undefined ? <Age since={heardAt} suffix=" ago" /> : `${duration(now - heardAt)} ago`}.</>
  )
}
