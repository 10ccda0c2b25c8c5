/** Reads server-sent events from text that comes in any pieces. Gives the data of each, as it is whole. */
export function createEventFrames(onData: (data: string) => void) {
  let pieces: string[] = []
  return (text: string) => {
    pieces.push(text)
    // A large event comes in many pieces: they are looked through once, when its line is at an end.
    if (!text.includes('\n')) return
    const blocks = pieces.join('').split(/\r?\n\r?\n/)
    pieces = [blocks.pop() ?? '']
    for (const block of blocks) {
      const data = dataOf(block)
      if (data !== undefined) onData(data)
    }
  }
}

/** Undefined for a comment that only keeps the connection alive. */
function dataOf(block: string): string | undefined {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.length === 0 ? undefined : lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
}
