import type { AskNotices } from '@holdpoint/schema/notification'
import { duration } from '../time/ago.ts'

/** Who was told of an open ask, and how far that came; `undefined` where nobody was. Names are as their owners wrote them. */
export function noticeWords(
  { notified, seen }: Pick<AskNotices, 'notified' | 'seen'>,
  { raisedAt, now }: { readonly raisedAt: number; readonly now: number },
): NoticeWords | undefined {
  if (notified.length === 0) return undefined
  const sent = receivers(notified.filter(({ step }) => step !== 'failed'))
  const shown = receivers(notified.filter(({ step }) => step === 'shown'))
  const failed = receivers(notified).filter(({ id }) => !sent.some((to) => to.id === id))
  const told = [
    sent.length > shown.length && `sent to ${countOrName(sent)}`,
    shown.length > 0 && `shown on ${names(shown)}`,
    failed.length > 0 && `could not be sent to ${countOrName(failed)}`,
  ]
  const counts = [
    sent.length > shown.length && `sent to ${sent.length}`,
    shown.length > 0 && `shown on ${shown.length}`,
    failed.length > 0 && `not sent to ${failed.length}`,
  ]
  const seenOn = receivers(seen.map(({ by }) => ({ to: { id: by.device, name: by.name } })))
  const unseen = `seen by nobody for ${duration(now - raisedAt)}`
  const all = { told: listed(told), seen: seen.length > 0 ? `seen on ${names(seenOn)}` : unseen }
  return {
    ...all,
    onPhone: {
      told: shorter(all.told, listed(counts)),
      seen: seen.length > 0 ? shorter(all.seen, `seen on ${counted(seenOn.length, 'device')}`) : unseen,
    },
  }
}

/** Characters that one row of a card has on a phone. */
const PHONE_ROW = 46

function shorter(words: string, without: string): string {
  return words.length > PHONE_ROW ? without : words
}

function listed(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(', ')
}

interface NoticeWords extends NoticeRows {
  /** The same in two rows that a phone shows whole: numbers in the place of names that are too long. */
  readonly onPhone: NoticeRows
}

interface NoticeRows {
  /** How far it came. */
  readonly told: string
  /** Who looked, or for how long nobody did. */
  readonly seen: string
}

interface Receiver {
  readonly id: string
  readonly name: string
}

/** Each once. */
function receivers(steps: readonly { readonly to: Receiver }[]): readonly Receiver[] {
  return [...new Map(steps.map(({ to }) => [to.id, to])).values()]
}

function countOrName(receivers: readonly Receiver[]): string {
  const [only] = receivers
  if (receivers.length === 1 && only) return only.name
  const channels = receivers.filter(({ id }) => id.startsWith('chn_')).length
  return [counted(receivers.length - channels, 'device'), counted(channels, 'channel')]
    .filter((part) => part !== undefined)
    .join(' and ')
}

function counted(number: number, word: string): string | undefined {
  if (number === 0) return undefined
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** `Pixel`; `Pixel and Mac`; `Pixel, Mac and 3 others`. */
function names(receivers: readonly Receiver[]): string {
  const [first, second, ...rest] = receivers.map(({ name }) => name)
  if (second === undefined) return first ?? ''
  if (rest.length === 0) return `${first} and ${second}`
  return `${first}, ${second} and ${counted(rest.length, 'other')}`
}
