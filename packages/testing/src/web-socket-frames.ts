/** One WebSocket frame as a client sends it: masked, unless a test wants it wrong. */
export function clientFrame(
  payload: string | Uint8Array,
  options: { opcode?: number; fin?: boolean; masked?: boolean } = {},
): Buffer {
  const { opcode = 1, fin = true, masked = true } = options
  const data = Buffer.from(payload)
  const head = [(fin ? 0x80 : 0) | opcode]
  const mask = masked ? 0x80 : 0
  if (data.length < 126) head.push(mask | data.length)
  else if (data.length < 65_536) head.push(mask | 126, data.length >> 8, data.length & 0xff)
  else {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(data.length))
    head.push(mask | 127, ...length)
  }
  if (!masked) return Buffer.concat([Buffer.from(head), data])
  const key = [0x12, 0x34, 0x56, 0x78]
  return Buffer.concat([Buffer.from([...head, ...key]), data.map((byte, index) => byte ^ (key[index % 4] ?? 0))])
}

export interface ServerFrame {
  readonly opcode: number
  readonly payload: Buffer
}

/** The whole frames at the start of what a server sent; the last one may have been cut. */
export function serverFrames(bytes: Buffer): ServerFrame[] {
  const frames: ServerFrame[] = []
  let at = 0
  for (;;) {
    const short = bytes[at + 1]
    if (short === undefined) return frames
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
    const from = at + 2 + lengthBytes
    if (bytes.length < from) return frames
    const length =
      lengthBytes === 8 ? Number(bytes.readBigUInt64BE(at + 2)) : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : short
    if (bytes.length < from + length) return frames
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(from, from + length) })
    at = from + length
  }
}
