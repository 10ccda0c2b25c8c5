export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/**
 * One text for one value: keys sorted, no spaces. Digests and the hash chain are taken over it, so two values that
 * differ in key order alone are the same value and every other difference shows.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const parts: string[] = []
  for (const key of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[key]
    if (field !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(field)}`)
  }
  return `{${parts.join(',')}}`
}
