/** All texts of a JSON value, names included. Without recursion: the value may be nested ten thousand deep. */
export function stringsIn(root: unknown): readonly string[] {
  const found: string[] = []
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') found.push(value)
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) for (const name of Object.keys(value)) found.push(name)
    for (const entry of Object.values(value)) open.push(entry)
  }
  return found
}
