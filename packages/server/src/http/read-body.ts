import type { IncomingMessage } from 'node:http'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { type Reply, refusal } from './errors.ts'

export type BodyResult<Value> = { ok: true; value: Value } | { ok: false; reply: Reply }

/** Reads at most `limit` bytes; past it the rest is not read at all. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<BodyResult<Buffer>> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) return { ok: false, reply: refusal('too_large', { limit }) }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return { ok: false, reply: refusal('too_large', { limit }) }
    chunks.push(chunk)
  }
  return { ok: true, value: Buffer.concat(chunks) }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJsonBytes(bytes: Uint8Array): BodyResult<unknown> {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return { ok: false, reply: refusal('malformed_json', { reason: 'invalid-utf8' }) }
  }
  const parsed = parseStrictJson(text)
  return parsed.ok
    ? { ok: true, value: parsed.value }
    : { ok: false, reply: refusal('malformed_json', { ...parsed.refusal }) }
}
