import type { NodeId } from '@holdpoint/schema/id'
import { askId, deviceId } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import type { CallResult, Machines } from '../cluster/machines.ts'
import type { NodeCall } from '../cluster/node-call.ts'
import { createNoticeReturns } from './notice-returns.ts'
import { makeToken, newTokenKey } from './notice-tokens.ts'

const HERE: NodeId = `nod_${'a'.repeat(26)}`
const THERE: NodeId = `nod_${'b'.repeat(26)}`
const PHONE = deviceId(1)
const GIVEN = { to: PHONE, by: PHONE, via: 'push' } as const

function start(result: CallResult) {
  let at = 0
  const calls: NodeCall[] = []
  const tokenKey = newTokenKey(HERE)
  const token = (node: NodeId) =>
    makeToken(newTokenKey(node), { use: 'deny', subject: askId(1), to: PHONE, digest: 'd' }, 1_900_000_000_000)
  const returns = createNoticeReturns({
    machines: {
      list: () => [HERE, THERE].map((id) => ({ id })),
      async call(_to: NodeId, call: NodeCall) {
        calls.push(call)
        return result
      },
    } as unknown as Machines,
    receivers: { find: (id) => (id === PHONE ? ({} as never) : undefined) },
    tokenKey,
    clock: { monotonic: () => at },
    here: { answer: async () => ({ status: 200 }), shown: () => true },
  })
  return {
    returns,
    calls,
    own: token(HERE),
    other: token(THERE),
    pass: (ms: number) => {
      at += ms
    },
  }
}

it('I10 hands on what came for a receiver that is known alone, and not as often as somebody likes', async () => {
  const { returns, calls, own, other, pass } = start({ ok: true, reply: { status: 200 } })
  expect((await returns.answer({ ...GIVEN, token: own })).status).toBe(200)
  expect((await returns.answer({ ...GIVEN, token: other, to: deviceId(2) })).status).toBe(404)
  expect(await returns.shown(other, deviceId(2))).toBe(false)
  expect(calls).toEqual([])
  for (let n = 0; n < 20; n++) expect((await returns.answer({ ...GIVEN, token: other })).status).toBe(200)
  expect((await returns.answer({ ...GIVEN, token: other })).status).toBe(404)
  expect(await returns.shown(other, PHONE)).toBe(false)
  expect(calls).toHaveLength(20)
  pass(1_000)
  expect((await returns.answer({ ...GIVEN, token: other })).status).toBe(200)
  expect(calls.at(-1)).toEqual({ type: 'notice-answer', token: other, ...GIVEN })
})

it('F57 says that it is not known whether a press was recorded where its gateway was lost after it had taken it', async () => {
  const lost = start({ ok: false, why: 'unknown' })
  expect(await lost.returns.answer({ ...GIVEN, token: lost.other })).toMatchObject({
    status: 503,
    body: { error: { recorded: 'unknown' } },
  })
  const gone = start({ ok: false, why: 'unreachable' })
  expect((await gone.returns.answer({ ...GIVEN, token: gone.other })).status).toBe(404)
})
