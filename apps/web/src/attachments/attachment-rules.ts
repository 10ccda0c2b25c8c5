import { ATTACHMENT_TYPES, MAX_ATTACHMENT_BYTES } from '@holdpoint/schema/attachment-limits'

/** What the gateway takes. */
const TAKEN = new Set<string>(ATTACHMENT_TYPES)
/** Text under another name. */
const AS_TEXT = /^(text\/.+|application\/(json|javascript|xml|x-yaml|toml|x-sh))$/

export const ACCEPT = [...TAKEN, 'text/*'].join(',')

export type Admitted = { readonly ok: true; readonly type: string } | { readonly ok: false; readonly message: string }

/** Whether a file can be sent along, and as what; if not, why, in words. */
export function admit(file: { readonly name: string; readonly type: string; readonly size: number }): Admitted {
  const name = file.name || 'The file'
  const type = file.type.split(';')[0]?.trim().toLowerCase() ?? ''
  const sent = TAKEN.has(type) ? type : AS_TEXT.test(type) ? 'text/plain' : undefined
  if (sent === undefined) return { ok: false, message: `${name}: only pictures, PDF and text files can be attached.` }
  if (file.size === 0) return { ok: false, message: `${name} is empty.` }
  if (file.size > MAX_ATTACHMENT_BYTES) return { ok: false, message: `${name} is larger than 8 MB.` }
  return { ok: true, type: sent }
}
