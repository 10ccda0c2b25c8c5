import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { NodeId } from '@holdpoint/schema/id'

/** What a token lets its holder do: report that a notice is on the screen, or give one answer to one ask. */
export type TokenUse = 'shown' | 'deny' | 'allow'

/** What a token is bound to. None of it can be changed by who holds the token (T58). */
export interface TokenBinding {
  readonly use: TokenUse
  /** The ask that is answered, or the notice that is on the screen: an id whose last 26 characters name it. */
  readonly subject: string
  /** The device or channel that it was sent to. */
  readonly to: string
  /** Of the ask as the notice showed it. Empty for a notice. */
  readonly digest: string
}

const LETTERS: Readonly<Record<TokenUse, string>> = { shown: 's', deny: 'd', allow: 'a' }
const PREFIXES: Readonly<Record<TokenUse, string>> = { shown: 'ntc_', deny: 'ask_', allow: 'ask_' }
const TOKEN = /^([sda])([0-9a-z]{5})?\.([0-9a-z]{26})\.([0-9a-z]{1,9})\.([\w-]{22})$/

/**
 * For one run of the gateway, and never on the disk: from a data folder or a backup nobody can make a token (T58). Buttons of
 * notices from before a restart say that they are not valid any more.
 */
export interface TokenKey {
  readonly secret: string
  /** In clear in each token: by which of several gateways it was made. Empty where there is one. */
  readonly maker: string
}

export function newTokenKey(node: NodeId | undefined): TokenKey {
  return { secret: randomBytes(32).toString('base64url'), maker: node === undefined ? '' : makerOf(node) }
}

/** The end of its id: a button of a chat has no room for more. */
export function makerOf(node: NodeId): string {
  return node.slice(-5)
}

/** How long a token counts, from when its notice was made. */
export const TOKEN_MS = 24 * 60 * 60 * 1000

/** The token by which a receiver reports that it shows a notice. */
export function makeReceipt(key: TokenKey, notice: { readonly id: string; readonly at: number }, to: string): string {
  return makeToken(key, { use: 'shown', subject: notice.id, to, digest: '' }, notice.at + TOKEN_MS)
}

/** At most 64 characters: what a button of a chat can carry. */
export function makeToken(key: TokenKey, binding: TokenBinding, expiresAt: number): string {
  const until = Math.floor(expiresAt / 1000).toString(36)
  return `${LETTERS[binding.use]}${key.maker}.${binding.subject.slice(-26)}.${until}.${signature(key, binding, until)}`
}

/** What a token says about itself. None of it counts before `isGenuine` has said so. */
export interface ReadToken {
  readonly use: TokenUse
  readonly maker: string
  readonly subject: string
  readonly expiresAt: number
  readonly isGenuine: (key: TokenKey, bound: Pick<TokenBinding, 'to' | 'digest'>) => boolean
}

export function readToken(token: string): ReadToken | undefined {
  const [, letter, maker = '', body, until, given] = TOKEN.exec(token) ?? []
  const use = (Object.keys(LETTERS) as TokenUse[]).find((name) => LETTERS[name] === letter)
  if (use === undefined || body === undefined || until === undefined || given === undefined) return undefined
  const subject = PREFIXES[use] + body
  return {
    use,
    maker,
    subject,
    expiresAt: Number.parseInt(until, 36) * 1000,
    isGenuine(key, { to, digest }) {
      const expected = signature(key, { use, subject, to, digest }, until)
      return timingSafeEqual(Buffer.from(expected), Buffer.from(given))
    },
  }
}

function signature(key: TokenKey, { use, subject, to, digest }: TokenBinding, until: string): string {
  const text = JSON.stringify([use, subject.slice(-26), to, digest, until])
  return createHmac('sha256', Buffer.from(key.secret, 'base64url')).update(text).digest('base64url').slice(0, 22)
}
