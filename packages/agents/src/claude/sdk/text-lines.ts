/** Puts pieces of text together to whole lines. */
export function createLineSplitter(onLine: (line: string) => void) {
  let rest = ''
  return {
    push(text: string) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(line)
    },
  }
}
