import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096

/** Random bytes for ids, fetched from the system in portions: a call for sixteen bytes costs as much as one for many. */
export function pooledRandomBytes() {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  return (count: number): Uint8Array => {
    if (used + count > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Uint8Array.from(pool.subarray(used, used + count))
    used += count
    return bytes
  }
}
