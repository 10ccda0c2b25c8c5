import type { AskId, ChannelId, DeviceId } from '@holdpoint/schema/id'
import type { NoticeContent, NoticeKind } from '@holdpoint/schema/notification'
import type { Reply } from '../transport/errors.ts'

/** What a person is told. It is made for one receiver: it says no more than that receiver's settings let it. */
export interface Notice {
  /** The same when it is sent again after a failure: receivers can leave out what they have. */
  readonly id: string
  /** A later notice with the same tag takes the place of this one, where the receiver can do that. */
  readonly tag: string
  readonly kind: NoticeKind | 'test'
  readonly title: string
  readonly body: string
  /** Where it leads: a path of the app. */
  readonly path: string
  /** The same place as a whole address, as far as the gateway knows one that others can reach. */
  readonly url: string
  /** When it happened, in milliseconds. */
  readonly at: number
  /** How many asks are open that this receiver may see. */
  readonly waiting: number
  /** No sound, no vibration: it brings an earlier one up to date, or comes within a minute of one that rang. */
  readonly silent: boolean
  /** How much of it title and body say. Where a receiver may be told less by now, they are replaced before it is sent. */
  readonly content: NoticeContent
  /** The asks that are new in it, and are recorded as told. One that only brings another up to date has none. */
  readonly askIds: readonly AskId[]
  /** Tags of earlier notices that this one replaces. */
  readonly replaces: readonly string[]
  /** The token by which the receiver reports that this notice is on its screen. */
  readonly receipt?: string
  /**
   * Tokens of the buttons, at most 64 characters. Each is for this receiver, this ask and the digest of what the notice
   * shows; `allow` is there only where the whole ask is in the notice, and the receiver was given that right (T58).
   */
  readonly deny?: string
  readonly allow?: string
}

/**
 * How a send ended. `gone`: the receiver does not exist any more, and is not tried again. `refused`: trying again would not
 * help. `failed`: it may help, not before `retryAfterMs` if that is known.
 */
export type SendResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly how: 'gone' | 'refused'; readonly reason: string }
  | { readonly ok: false; readonly how: 'failed'; readonly reason: string; readonly retryAfterMs?: number }

/** A way to one receiver. */
export interface NoticeChannel {
  /**
   * Resolves when the other side has taken the notice, or with why it has not. It never throws: a channel that is down is
   * an expected event, and nothing of an ask depends on it (F54). Aborting ends the attempt as `failed`.
   */
  send(notice: Notice, options: { readonly signal: AbortSignal }): Promise<SendResult>
  /** Stops what the channel does by itself, such as reading a chat. Left out where there is nothing to stop. */
  close?(): Promise<void>
}

/**
 * An answer that came back through a channel, by a button of a notice. `by`: the device that the person's answers count as;
 * what it may do is read again (I8). The token is bound to the receiver `to`, the ask and the digest of what the notice
 * showed (T58).
 */
export type AnswerNotice = (answer: {
  readonly token: string
  readonly to: DeviceId | ChannelId
  readonly by: DeviceId
  /** What the outcome records as the place that it came from. */
  readonly via: string
}) => Promise<Reply>
