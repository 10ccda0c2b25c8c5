import type { AskContent } from '@holdpoint/schema/ask'

/** The content alone, field by field: whoever made it has no say in anything else of the ask. */
export function contentOf({ questions, plan, form }: AskContent): AskContent {
  const fields: Record<keyof AskContent, unknown> = { questions, plan, form }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value))
}
