import type { IncomingMessage } from 'node:http'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { type Reply, refusal } from './errors.ts'

export type BodyResult<Value> = { ok: true; value: Value } | { ok: false; reply: Reply }

/**
 * Reads at most `limit` bytes; past it the rest is not read at all. `fits` says whether there is room for so many: for a
 * declared size before the first byte is read, so that a body is not refused halfway.
 */
export async function readBytes(
  request: IncomingMessage,
  { limit, fits }: { readonly limit: number; readonly fits: (bytes: number) => boolean },
): Promise<BodyResult<Buffer>> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) return { ok: false, reply: refusal('too_large', { limit }) }
  if (!fits(declared)) return { ok: false, reply: tooMuchSent() }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return { ok: false, reply: refusal('too_large', { limit }) }
    if (size > declared && !fits(size)) return { ok: false, reply: tooMuchSent() }
    chunks.push(chunk)
  }
  return { ok: true, value: Buffer.concat(chunks) }
}

function tooMuchSent(): Reply {
  return { ...refusal('too_much_sent', { recorded: 'no' }), headers: { 'retry-after': '5' } }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJsonBytes(bytes: Uint8Array): BodyResult<unknown> {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return { ok: false, reply: refusal('malformed_json', { reason: 'invalid_utf8' }) }
  }
  const parsed = parseStrictJson(text)
  return parsed.ok
    ? { ok: true, value: parsed.value }
    : { ok: false, reply: refusal('malformed_json', { ...parsed.refusal }) }
}
