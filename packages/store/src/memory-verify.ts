import type { ChainFault, ChainReport } from '@holdpoint/core/store'
import type { SessionId } from '@holdpoint/schema/id'
import { chainHead, FIRST_HASH, type LogRow, rowHash } from './log-row.ts'

/** Checks a whole log in memory. `isErased`: of such a row nothing is left but its places and hashes. */
export function verifyRows(log: readonly LogRow[], isErased: (row: LogRow) => boolean): ChainReport {
  const newest = new Map<SessionId, string>()
  const report = (fault?: ChainFault): ChainReport => {
    const events = (fault?.seq ?? log.length + 1) - 1
    const found = { events, sessions: newest.size }
    return fault
      ? { ...found, fault }
      : { ...found, head: chainHead(Array.from(newest, ([id, hash]) => ({ id, hash }))) }
  }
  for (const row of log) {
    const { sessionId, seq, sessionSeq } = row
    const isWhole = isErased(row) || rowHash(row) === row.hash
    if (row.prevHash !== (newest.get(sessionId) ?? FIRST_HASH) || !isWhole) {
      return report({ sessionId, seq, sessionSeq, problem: 'it does not match its hash' })
    }
    newest.set(sessionId, row.hash)
  }
  return report()
}
