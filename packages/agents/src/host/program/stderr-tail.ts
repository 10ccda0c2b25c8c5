const TAIL_BYTES = 16 * 1024

/** The end of what an agent wrote to its standard error. */
export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): void {
    const all = Buffer.concat([this.#bytes, chunk.subarray(-TAIL_BYTES)])
    this.#bytes = Buffer.from(all.subarray(-TAIL_BYTES))
  }

  text(): string {
    // The cut may fall inside a character: skip the bytes that continue one.
    let start = 0
    while (start < 4 && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
    return this.#bytes.subarray(start).toString()
  }
}
