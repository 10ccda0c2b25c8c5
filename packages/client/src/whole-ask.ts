import { digestText } from '@holdpoint/core/ask-machine'
import type { Ask } from '@holdpoint/schema/ask'
import { paths } from '@holdpoint/schema/paths'
import type { Calls } from './calls.ts'
import type { Refused, Result } from './gateway-client.ts'

const OTHER: Refused = {
  ok: false,
  status: 0,
  code: 'digest_mismatch',
  message: 'The ask that arrived does not match its digest.',
}

/**
 * An ask whole, for which a list or the stream left out what is large. Checked to be the one that was announced and, where
 * the browser can (over HTTPS, or on the gateway's own machine), to be what its digest says.
 */
export async function wholeAsk({ call }: Calls, ask: Ask): Promise<Result<Ask>> {
  if (!ask.omitted) return { ok: true, value: ask }
  const found = await call(paths.asks.read, { params: { id: ask.id } })
  if (!found.ok) return found
  const whole = found.value
  if (whole.id !== ask.id || whole.omitted || whole.digest !== ask.omitted.digest) return OTHER
  const digest = await sha256(digestText(whole))
  return digest === undefined || digest === whole.digest ? found : OTHER
}

/** Undefined where the page is not trusted with it. */
async function sha256(text: string): Promise<string | undefined> {
  const { subtle } = globalThis.crypto as Partial<Crypto>
  if (!subtle) return undefined
  const hash = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
