import { z } from 'zod'

/** Ids are a prefix and 26 characters that sort by time; the prefix says what the id names. */
const ID_BODY = '[0-9a-hjkmnp-tv-z]{26}'

function prefixed<Prefix extends string>(prefix: Prefix) {
  const schema = z.string().regex(new RegExp(`^${prefix}_${ID_BODY}$`), `expected an id that starts with ${prefix}_`)
  return schema as unknown as z.ZodType<`${Prefix}_${string}`, `${Prefix}_${string}`>
}

export const SessionId = prefixed('ses')
export type SessionId = z.infer<typeof SessionId>

export const AskId = prefixed('ask')
export type AskId = z.infer<typeof AskId>

export const ItemId = prefixed('itm')
export type ItemId = z.infer<typeof ItemId>

export const RuleId = prefixed('rul')
export type RuleId = z.infer<typeof RuleId>

export const DeviceId = prefixed('dev')
export type DeviceId = z.infer<typeof DeviceId>

export const AttachmentId = prefixed('att')
export type AttachmentId = z.infer<typeof AttachmentId>

/** A way to tell people besides push: a webhook, ntfy, a chat. */
export const ChannelId = prefixed('chn')
export type ChannelId = z.infer<typeof ChannelId>

/** A gateway on a machine of its own, among several that share a log. */
export const NodeId = prefixed('nod')
export type NodeId = z.infer<typeof NodeId>

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Makes ids that sort by time. Clock and randomness come from outside so that tests can repeat a run. */
export function idMaker(options: { now: () => number; randomBytes: (count: number) => Uint8Array }) {
  return function newId<Prefix extends string>(prefix: Prefix): `${Prefix}_${string}` {
    let time = options.now()
    let head = ''
    for (let i = 0; i < 10; i++) {
      head = ALPHABET.charAt(time % 32) + head
      time = Math.floor(time / 32)
    }
    return `${prefix}_${head}${characters(options.randomBytes(16))}`
  }
}
export type NewId = ReturnType<typeof idMaker>

/** An id made of a hash: the same hash names the same thing again. It does not sort by time. */
export function idOfHash<Prefix extends string>(prefix: Prefix, hash: Uint8Array): `${Prefix}_${string}` {
  return `${prefix}_${characters(hash.subarray(0, 26))}`
}

function characters(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += ALPHABET.charAt(byte % 32)
  return text
}
