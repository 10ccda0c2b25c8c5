export const MAX_ATTACHMENTS = 4
const MAX_BYTES = 8 * 1024 * 1024

/** What the gateway takes. */
const TAKEN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'text/plain'])
/** Text under another name. */
const AS_TEXT = /^(text\/.+|application\/(json|javascript|xml|x-yaml|toml|x-sh))$/

export const ACCEPT = [...TAKEN, 'text/*'].join(',')

export type Admitted = { readonly ok: true; readonly type: string } | { readonly ok: false; readonly message: string }

/** Whether a file can be sent along, and as what; if not, why, in words. */
export function admit(file: { readonly name: string; readonly type: string; readonly size: number }): Admitted {
  const name = file.name || 'The file'
  const type = file.type.split(';')[0]?.trim().toLowerCase() ?? ''
  const sent = TAKEN.has(type) ? type : AS_TEXT.test(type) ? 'text/plain' : undefined
  if (sent === undefined) return { ok: false, message: `${name}: only pictures, PDF and text can be sent along.` }
  if (file.size === 0) return { ok: false, message: `${name} is empty.` }
  if (file.size > MAX_BYTES) return { ok: false, message: `${name} is larger than 8 MB.` }
  return { ok: true, type: sent }
}
