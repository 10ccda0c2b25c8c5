import { canonicalJson } from '@holdpoint/schema/json'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FIRST_HASH, rowHash, sha256 } from './log-row.ts'

/** Any UTF-16, broken pairs included. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) })

it('hashes the previous hash followed by the canonical JSON of the row (I9)', () => {
  fc.assert(
    fc.property(anyText, fc.nat(), fc.nat(), (data, at, sessionSeq) => {
      const sessionId = 'ses_00000000000000000000000001' as const
      const row = { sessionId, sessionSeq, type: 'item-added', data, at, prevHash: FIRST_HASH }
      const canonical = canonicalJson({ session_id: sessionId, session_seq: sessionSeq, type: row.type, data, at })
      expect(rowHash(row)).toBe(sha256(FIRST_HASH + canonical))
    }),
  )
})
