import type { ControlLine } from '../wire/control-line.ts'

export interface KeptLine {
  readonly n: number
  readonly bytes: Buffer
  readonly control: ControlLine | undefined
}

/** What a kept line costs besides its bytes: without it four million empty lines would count as nothing. */
const LINE_OVERHEAD_BYTES = 256

/** An agent's output, numbered from 1 and kept until it is acknowledged, with the place up to which it was sent. */
export class KeptLines {
  #lines: KeptLine[] = []
  #next = 0
  #count = 0
  #bytes = 0

  /** How many lines there were, acknowledged ones included. */
  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  push(bytes: Buffer, control: ControlLine | undefined): KeptLine {
    this.#count += 1
    const line = { n: this.#count, bytes, control }
    this.#lines.push(line)
    this.#bytes += cost(line)
    return line
  }

  /** The next line to send; undefined when all have been. */
  take(): KeptLine | undefined {
    const line = this.#lines[this.#next]
    if (line) this.#next += 1
    return line
  }

  acknowledge(n: number): void {
    let covered = 0
    for (const line of this.#lines) {
      if (line.n > n) break
      this.#bytes -= cost(line)
      covered += 1
    }
    this.#lines.splice(0, covered)
    this.#next = Math.max(0, this.#next - covered)
  }

  /**
   * Starts over for a new gateway. Lines of the control protocol belonged to the conversation with the old one and are
   * not sent again: what is still open among them is replayed from the ledger.
   */
  rewind(after: number): void {
    this.acknowledge(after)
    this.#lines = this.#lines.filter((line) => line.control === undefined)
    this.#bytes = this.#lines.reduce((sum, line) => sum + cost(line), 0)
    this.#next = 0
  }
}

function cost(line: KeptLine): number {
  return line.bytes.length + LINE_OVERHEAD_BYTES
}
