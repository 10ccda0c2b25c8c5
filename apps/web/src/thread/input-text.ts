import type { Item } from '@holdpoint/schema/item'

export type ToolCallItem = Extract<Item, { type: 'tool-call' }>

export function textField(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return undefined
  const value: unknown = (input as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The first text anywhere in it. Without recursion: an input may be nested ten thousand deep. */
export function firstText(root: unknown): string | undefined {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value !== 'object' || value === null) continue
    // The first part is looked into first.
    for (const part of Object.values(value).reverse()) open.push(part)
  }
  return undefined
}
