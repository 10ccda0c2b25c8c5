const TIME_LIMIT_MS = 500
const NO_NEWLINE = /^\\ No newline at end of file\n/gm

/** A unified diff of two versions of `name`; undefined when it would take too long. */
export async function diffOf(before: string, after: string, name: string): Promise<string | undefined> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const diff = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    timeout: TIME_LIMIT_MS,
    headerOptions: FILE_HEADERS_ONLY,
  })
  // Most of what people edit, a command for example, ends without a line feed. Only a change of that is worth a word.
  const sameEnd = before.endsWith('\n') === after.endsWith('\n')
  return sameEnd ? diff?.replace(NO_NEWLINE, '') : diff
}
