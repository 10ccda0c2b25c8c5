/** Whether two values are the same, or are lists, maps or plain objects of the same entries. */
export function sameShallow(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left) && Array.isArray(right)) return sameEntries(left, right)
  if (left instanceof Map && right instanceof Map) {
    return sameEntries([...left.keys()], [...right.keys()]) && sameEntries([...left.values()], [...right.values()])
  }
  if (!isPlain(left) || !isPlain(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && Object.is(left[key], right[key]))
  )
}

function sameEntries(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((entry, index) => Object.is(entry, right[index]))
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
