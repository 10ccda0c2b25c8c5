const NEWLINE = 0x0a

/**
 * Bytes into whole lines, without their newline. It splits bytes, not text: a character cut in two by a chunk's border
 * comes out whole.
 */
export class LineSplitter {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0
  #tooLong = false

  constructor(options: { maxBytes: number }) {
    this.#maxBytes = options.maxBytes
  }

  /** Set once a line has passed the limit; from then on everything is discarded. */
  get tooLong(): boolean {
    return this.#tooLong
  }

  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = []
    let start = 0
    while (!this.#tooLong) {
      const end = chunk.indexOf(NEWLINE, start)
      this.#keep(end < 0 ? chunk.subarray(start) : chunk.subarray(start, end))
      if (end < 0 || this.#tooLong) break
      lines.push(this.#take())
      start = end + 1
    }
    return lines
  }

  /** What came after the last newline, if anything. */
  rest(): Buffer | undefined {
    return this.#bytes > 0 ? this.#take() : undefined
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length
    if (part.length > 0) this.#parts.push(part)
    if (this.#bytes <= this.#maxBytes) return
    this.#tooLong = true
    this.#parts = []
    this.#bytes = 0
  }

  #take(): Buffer {
    const [first] = this.#parts
    const line = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts, this.#bytes)
    this.#parts = []
    this.#bytes = 0
    return line
  }
}
