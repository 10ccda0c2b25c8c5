/** Agents change, and a field that was text may turn into something else: then it is left out, not trusted. */
export function textField<Key extends string>(key: Key, value: unknown): { [K in Key]?: string } {
  return typeof value === 'string' && value !== '' ? ({ [key]: value } as { [K in Key]?: string }) : {}
}
