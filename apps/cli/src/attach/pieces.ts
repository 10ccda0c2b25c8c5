/** An inserted text. `at` is its position in the text before the insertion. */
export interface Piece {
  readonly at: number
  readonly text: string
}

/** Puts pieces in, which are in order. */
export function putIn(text: string, pieces: readonly Piece[]): string {
  let result = ''
  let done = 0
  for (const piece of pieces) {
    result += text.slice(done, piece.at) + piece.text
    done = piece.at
  }
  return result + text.slice(done)
}

/** Takes the same pieces out again; undefined when one of them is not where it was put. */
export function takeOut(text: string, pieces: readonly Piece[]): string | undefined {
  let result = ''
  let done = 0
  let shift = 0
  for (const piece of pieces) {
    const at = piece.at + shift
    if (!text.startsWith(piece.text, at)) return undefined
    result += text.slice(done, at)
    done = at + piece.text.length
    shift += piece.text.length
  }
  return result + text.slice(done)
}

/** Removes them wherever they are now; undefined unless each one is there exactly as often as it was inserted. */
export function takeOutAnywhere(text: string, pieces: readonly Piece[]): string | undefined {
  let result = text
  for (const wanted of new Set(pieces.map((piece) => piece.text))) {
    const parts = result.split(wanted)
    if (parts.length - 1 !== pieces.filter((piece) => piece.text === wanted).length) return undefined
    result = parts.join('')
  }
  return result
}
