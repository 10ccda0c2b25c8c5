import { createAskRate } from '@holdpoint/core/ask-rate'
import type { Clock } from '@holdpoint/core/clock'
import type { NodeId } from '@holdpoint/schema/id'
import type { Machines } from '../cluster/machines.ts'
import { LOST } from '../services/answering.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import { NOT_VALID } from './answer-notice.ts'
import type { AnswerNotice } from './channel.ts'
import { makerOf, readToken, type TokenKey } from './notice-tokens.ts'
import type { Receivers } from './receivers.ts'

/** What comes back from notices that other gateways sent to one receiver: anybody can send it here, without a login (I10). */
const HANDED_ON = { atOnce: 20, perSecond: 1 }

/** What comes back from a notice: a press of a button, or the word that it is on a screen. */
export interface NoticeReturns {
  readonly answer: AnswerNotice
  /** Says whether the token is one of ours. */
  shown(...what: Parameters<ShownHere>): Promise<boolean>
}

type ShownHere = (token: string, to: Parameters<AnswerNotice>[0]['to']) => boolean

/**
 * Takes what comes back from notices of all gateways. Only the one that made a notice knows the key of its tokens, and only to
 * a receiver that is known is anything handed on. Where that gateway is gone nothing is answered, and a receipt is lost.
 */
export function createNoticeReturns(deps: {
  readonly machines: Machines
  readonly receivers: Pick<Receivers, 'find'>
  readonly tokenKey: TokenKey
  readonly clock: Pick<Clock, 'monotonic'>
  readonly here: { readonly answer: AnswerNotice; readonly shown: ShownHere }
}): NoticeReturns {
  const { machines, receivers, tokenKey, here } = deps
  const rate = createAskRate(deps.clock, HANDED_ON)

  /** The other gateway that made this token. */
  function madeElsewhere(token: string): NodeId | undefined {
    const maker = readToken(token)?.maker ?? tokenKey.maker
    if (maker === tokenKey.maker) return undefined
    return machines.list()?.find(({ id }) => makerOf(id) === maker)?.id
  }

  const mayHandOn = (to: string) => receivers.find(to) !== undefined && rate.take(to)

  return {
    async answer(given) {
      const node = madeElsewhere(given.token)
      if (node === undefined) return here.answer(given)
      if (!mayHandOn(given.to)) return NOT_VALID
      const result = await machines.call(node, { type: 'notice-answer', ...given })
      if (result.ok) return result.reply as Reply
      if (result.why === 'unreachable') return NOT_VALID
      return refusal('store_unavailable', { message: LOST, recorded: 'unknown' })
    },
    async shown(token, to) {
      const node = madeElsewhere(token)
      if (node === undefined) return here.shown(token, to)
      if (!mayHandOn(to)) return false
      const result = await machines.call(node, { type: 'notice-shown', token, to })
      return result.ok && result.reply === true
    },
  }
}
