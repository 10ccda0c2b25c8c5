/** Kinds of entries that hold prompts, tool descriptions and the like: most of the bytes, and nothing of the conversation. */
const BULKY = new Set(['attachment', 'api-request', 'api-request-shape', 'api-request-blob', 'file-history-snapshot'])
const KEPT_CHARACTERS = 40
const KEPT_DEPTH = 2

/** No more of the machine than need be, and no more bytes; lines, types, ids, times and the conversation stay. */
export function sanitiseLine(line: string, replace: ReadonlyMap<string, string>): string {
  let text = line
  for (const [found, shown] of replace) text = text.replaceAll(found, shown)
  const entry = JSON.parse(text) as Record<string, unknown>
  if (BULKY.has(String(entry.type))) return JSON.stringify(shortened(entry))
  return JSON.stringify(entry)
}

function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > KEPT_CHARACTERS ? `${value.slice(0, KEPT_CHARACTERS)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return []
  if (depth === KEPT_DEPTH) return {}
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortened(field, depth + 1)]))
}
