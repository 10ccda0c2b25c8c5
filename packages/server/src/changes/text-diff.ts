import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

export interface TextDiff {
  readonly diff: string
  readonly added: number
  readonly removed: number
}

const TIME_LIMIT_MS = 300
/** In the name of a file, these would be lines of the diff. */
const CONTROLS = /\p{Cc}/gu

/** A unified diff; undefined where the two have so little in common that it would take too long. */
export function textDiff(path: string, before: string | undefined, after: string | undefined): TextDiff | undefined {
  const name = path.replace(CONTROLS, '\u{FFFD}')
  const diff = createTwoFilesPatch(
    before === undefined ? '/dev/null' : name,
    name,
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    { context: 3, timeout: TIME_LIMIT_MS, headerOptions: FILE_HEADERS_ONLY },
  )
  return diff === undefined ? undefined : { diff, ...counted(diff) }
}

function counted(diff: string) {
  let added = 0
  let removed = 0
  for (const line of diff.split('\n').slice(2)) {
    if (line.startsWith('+')) added++
    else if (line.startsWith('-')) removed++
  }
  return { added, removed }
}
