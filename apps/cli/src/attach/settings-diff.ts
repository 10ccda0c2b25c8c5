import { createTwoFilesPatch } from 'diff'
import { terminalLines } from '../console/terminal-text.ts'

const NO_NEWLINE = '\\ No newline at end of file'

/** What would change, for people. Agents may have written the file: nothing of it is printed raw. */
export function settingsDiff(path: string, before: string | undefined, after: string | undefined): string {
  const [from, to] = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path]
  const patch = createTwoFilesPatch(from, to, plain(before), plain(after), undefined, undefined, { context: 2 })
  const lines = terminalLines(patch.trimEnd())
  const start = lines.findIndex((line) => line.startsWith('--- '))
  return lines
    .slice(start)
    .filter((line) => line !== NO_NEWLINE)
    .join('\n')
}

/** The ends of lines stay as they are in the file, and are nothing to look at. */
function plain(text: string | undefined): string {
  return (text ?? '').replaceAll('\r\n', '\n')
}
