import type { z } from 'zod'

const LIMIT = 20
/** A key that may be repeated to its sender. Longer ones may be a secret that was put in the wrong place (T43). */
const PLAIN_KEY = /^[A-Za-z]\w{0,23}$/

/** What is wrong with a value, one sentence each. */
export function issuesOf(error: z.ZodError): string[] {
  return error.issues.slice(0, LIMIT).map((issue) => {
    const message = issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys) : issue.message
    return issue.path.length > 0 ? `${issue.path.join('.')}: ${message}` : message
  })
}

function unknownKeys(keys: readonly string[]): string {
  const named = keys.filter((key) => PLAIN_KEY.test(key))
  return named.length === keys.length ? `unknown field ${named.join(', ')}` : 'there is an unknown field'
}
