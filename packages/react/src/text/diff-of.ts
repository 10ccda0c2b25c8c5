const TIME_LIMIT_MS = 500

/** A unified diff of two versions of `name`; undefined when it would take too long. */
export async function diffOf(before: string, after: string, name: string): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import('diff')
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: TIME_LIMIT_MS,
  })
  // The library puts a line above the two names that says nothing.
  return patch?.replace(/^(?:Index: .*\n)?=+\n/, '')
}
