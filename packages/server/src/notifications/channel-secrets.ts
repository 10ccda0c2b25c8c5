import type { ChannelTarget } from '@holdpoint/schema/notification'
import { TELEGRAM_TOKEN } from './telegram-bot.ts'
import { isWebhookSecret } from './webhook-channel.ts'

/** What is shown in the place of a secret. */
const MASK = '••••••••'

/** A header takes no other characters. */
const HEADER_TOKEN = /^[\x21-\x7e]+$/

function secretOf(target: ChannelTarget): string | undefined {
  return target.type === 'webhook' ? target.secret : target.token
}

function withSecret(target: ChannelTarget, secret: string | undefined): ChannelTarget {
  switch (target.type) {
    case 'webhook': {
      const { secret: _, ...rest } = target
      return { ...rest, ...(secret !== undefined && { secret }) }
    }
    case 'ntfy': {
      const { token: _, ...rest } = target
      return { ...rest, ...(secret !== undefined && { token: secret }) }
    }
    case 'telegram':
      return { ...target, token: secret ?? '' }
  }
}

export function maskedTarget(target: ChannelTarget): ChannelTarget {
  return secretOf(target) === undefined ? target : withSecret(target, MASK)
}

/** An empty secret is none. */
export function givenTarget(target: ChannelTarget): ChannelTarget {
  return secretOf(target) === '' ? withSecret(target, undefined) : target
}

/**
 * The target as it is to be stored: a secret that was left out, or sent as it was shown, is the one that is stored. It stays
 * with the place that it was given for: who may change a channel, but does not know its secret, cannot have it sent elsewhere.
 */
export function keptTarget(given: ChannelTarget, stored: ChannelTarget): ChannelTarget | { readonly refused: string } {
  if (given.type !== stored.type) return { refused: 'a channel keeps its type: add another one' }
  const secret = secretOf(given)
  if (secret !== undefined && secret !== MASK) return givenTarget(given)
  const kept = secretOf(stored)
  if (kept !== undefined && placeOf(given) !== placeOf(stored)) {
    return { refused: 'this sends to another place: enter the secret again' }
  }
  return withSecret(given, kept)
}

/** Where the secret is sent to, or what it signs for. */
function placeOf(target: ChannelTarget): string {
  switch (target.type) {
    case 'webhook':
      return target.url
    case 'ntfy':
      return `${target.server} ${target.topic}`
    case 'telegram':
      return target.server ?? ''
  }
}

/** The address that a person has entered; none where Telegram's own server is used. */
export function addressOf(target: ChannelTarget): string | undefined {
  return target.type === 'webhook' ? target.url : target.server
}

/** What is wrong with a target that is to be stored, if anything is. */
export function refuseTarget(target: ChannelTarget): string | undefined {
  switch (target.type) {
    case 'webhook':
      return isWebhookSecret(target.secret ?? '')
        ? undefined
        : 'the secret of a webhook is whsec_ and 24 to 64 bytes in base64; leave it out to have one made'
    case 'ntfy':
      return target.token === undefined || HEADER_TOKEN.test(target.token)
        ? undefined
        : 'the token has characters that cannot be sent'
    case 'telegram':
      return TELEGRAM_TOKEN.test(target.token)
        ? undefined
        : 'expected the token of a bot, such as 123456:ABC-DEF1234ghIkl'
  }
}
