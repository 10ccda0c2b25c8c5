import { type Entry, readBelow } from '../files/safe-file.ts'
import { type Contents, hashOf } from './contents.ts'

/**
 * Why a content is not kept: it is too large, it is no text, there was no room, or the file was already another one, or
 * could not be read, when its turn came.
 */
export type WhyNotKept = 'large' | 'binary' | 'full' | 'lost'

/** An entry, and what is known of its content. Without a hash and a reason, its turn has not come yet. */
export interface KnownFile extends Entry {
  readonly hash?: string
  readonly why?: WhyNotKept
}

/** In which no NUL makes a file a text, as git has it. */
const LOOKED_AT = 8000
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a content, unless it is none. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return undefined
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads the content of an entry and keeps it. What has changed since it was looked at is not what was there then. */
export function keepContent(
  { root, contents, limit }: { readonly root: string; readonly contents: Contents; readonly limit: number },
  path: string,
  entry: Entry,
): KnownFile {
  if (entry.kind === 'file' && entry.size > limit) return { ...entry, why: 'large' }
  const read = readBelow(root, path, limit)
  if (!('bytes' in read) || !isUnchanged(read.entry, entry)) return { ...entry, why: 'lost' }
  const hash = hashOf(read.bytes)
  if (contents.has(hash)) return { ...entry, hash }
  // The hash tells later whether it was only touched.
  if (textOf(read.bytes) === undefined) return { ...entry, hash, why: 'binary' }
  return contents.put(hash, read.bytes) ? { ...entry, hash } : { ...entry, hash, why: 'full' }
}

function isUnchanged(now: Entry, then: Entry): boolean {
  return now.kind === then.kind && now.size === then.size && now.ctimeMs === then.ctimeMs && now.ino === then.ino
}
