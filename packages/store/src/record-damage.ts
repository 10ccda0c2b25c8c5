import { type ChainFault, RecordDamaged } from '@holdpoint/core/store'

/** For lists: one that was changed is left out, so that the others can be read. */
export function unlessDamaged<Value>(read: () => Value): readonly Value[] {
  try {
    return [read()]
  } catch (error) {
    if (error instanceof RecordDamaged) return []
    throw error
  }
}

export function misplaced(seq: number, expected: string): RecordDamaged {
  return new RecordDamaged(`Event ${seq} is not the one for ${expected}: the database was changed or damaged.`)
}

/** Nothing of a session that is known to be damaged is shown. */
export function refuseDamaged(id: string, damaged: ReadonlyMap<string, ChainFault>): void {
  const damage = damaged.get(id)
  if (damage)
    throw new RecordDamaged(`The record of ${id} was changed or damaged, at event ${damage.seq}: ${damage.problem}.`)
}

/** Nothing may be decided on what the log does not bear out (T69). */
export function refuseBroken(fault: ChainFault | undefined): void {
  if (!fault) return
  const { sessionId, seq, sessionSeq, problem } = fault
  throw new RecordDamaged(
    `The record of ${sessionId} was changed or damaged, at event ${seq} (its number ${sessionSeq}): ${problem}. Nothing in it can be answered. Restore a backup, or end the session as damaged with "holdpoint verify --accept".`,
  )
}
