import type { Question } from '@holdpoint/schema/ask'

/**
 * Whether options can be named by their number, counting from 1. Not where a label itself begins with a number: what a
 * person types would be ambiguous.
 */
export function hasOptionNumbers({ options }: Question): boolean {
  return options.every(({ label }) => !/^\s*\p{N}/u.test(label))
}
