import type { Question } from '@holdpoint/schema/ask'

/**
 * Whether options can be named by their number, counting from 1. Not where a label begins with a number itself: whoever
 * types one could mean either.
 */
export function hasOptionNumbers({ options }: Question): boolean {
  return options.every(({ label }) => !/^\s*\p{N}/u.test(label))
}
