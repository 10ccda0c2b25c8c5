import type { Clock } from '@holdpoint/core/clock'
import { wholeCommand } from '@holdpoint/core/notifications/notice-words'
import type { Store } from '@holdpoint/core/store'
import { AskId } from '@holdpoint/schema/id'
import { type AnsweringDeps, answerAsk } from '../services/answering.ts'
import { refusal } from '../transport/errors.ts'
import type { AnswerNotice } from './channel.ts'
import { readToken, type TokenKey } from './notice-tokens.ts'
import type { Receivers } from './receivers.ts'

/**
 * The one way an answer gets in from a notification. The token proves that the button was in a notice that we sent to this
 * receiver, and that the ask is still what the notice showed. Everything else is asked again now: whether the device may
 * answer, and, for an allow, whether the receiver may allow and the notice showed all that would run (T58).
 */
export function createAnswerNotice(
  deps: AnsweringDeps & {
    readonly tokenKey: TokenKey
    readonly clock: Pick<Clock, 'now'>
    readonly store: Pick<Store, 'ask'>
    readonly receivers: Pick<Receivers, 'find'>
  },
): AnswerNotice {
  return async ({ token, to, by, via }) => {
    const read = readToken(token)
    const askId = AskId.safeParse(read?.subject)
    if (!read || read.use === 'shown' || read.expiresAt <= deps.clock.now() || !askId.success) return NOT_VALID
    const record = await deps.store.ask(askId.data)
    if (!record || !read.isGenuine(deps.tokenKey, { to, digest: record.ask.digest })) return NOT_VALID
    const device = deps.devices.current(by)
    const receiver = deps.receivers.find(to)
    if (!device || !receiver) return refusal('unauthorized')
    const { use } = read
    const mayUse = use === 'deny' ? receiver.mayDeny : receiver.mayAllow && wholeCommand(record.ask) !== undefined
    if (!mayUse) return refusal('forbidden')
    return answerAsk(deps, { device, id: askId.data, answer: { kind: use, digest: record.ask.digest }, via })
  }
}

/** Nothing was answered. */
export const NOT_VALID = refusal('not_found', {
  message: 'This button is not valid any more. Open Holdpoint to answer.',
})
