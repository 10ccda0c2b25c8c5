import { randomUUID } from 'node:crypto'
import type { Records } from '@holdpoint/core/store'

/**
 * A key that all gateways have to share, made by the first that needs it. Of several that make one at the same time, the one
 * that was put first counts: a list is in the order in which its records came.
 */
export async function madeOnce(
  records: Records,
  collection: string,
  key: string,
  make: () => unknown,
): Promise<unknown> {
  const known = await records.get(collection, key)
  if (known !== undefined) return known
  const proposals = `${collection} ${key}`
  await records.put(proposals, randomUUID(), make())
  const [first] = await records.list(proposals)
  await records.put(collection, key, first?.value)
  return first?.value
}
