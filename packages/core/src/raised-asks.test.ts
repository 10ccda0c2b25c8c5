import type { AskRequest } from '@holdpoint/schema/ask'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'
import type { RaiseCall, RaiseResult } from './raising.ts'

const ci = { id: 'dev_ci', name: 'CI' } as const
const other = { id: 'dev_other', name: 'Another program' } as const
const plan = (text: string): Partial<AskRequest> => ({ requestId: 'plan', kind: 'plan', plan: { text } })
const said = (result: RaiseResult) => (result.ok ? result.ask.id : result.refusal)

async function worldWithSession() {
  const world = await createCoreWorld()
  const { session } = await world.session()
  const raise = (
    request: Partial<AskRequest>,
    raisedBy?: RaiseCall['raisedBy'],
    { broker }: Pick<typeof world, 'broker'> = world,
  ) => broker.raise({ sessionId: session.id, epoch: 1, request: askRequest(request), ...(raisedBy && { raisedBy }) })
  return { ...world, started: session, raise, opened: () => [...(world.view(session)?.asks.values() ?? [])] }
}

describe('what a program has raised', () => {
  it.each([
    ['another plan', plan('1'), plan('2')],
    ['a plan that is larger than all that it may have open', plan('1'), plan('x'.repeat(7_900_000))],
    ['another folder', { requestId: 'here', context: { cwd: '/w' } }, { requestId: 'here', context: { cwd: '/v' } }],
  ])('F58 F44 is never replaced by %s under the same request id', async (_, first, second) => {
    const world = await worldWithSession()
    expect(await world.raise(first, ci)).toMatchObject({ ok: true })
    const [ask] = world.opened()
    const before = world.ledger.seq()
    expect(said(await world.raise(second, ci))).toBe('duplicate_request')
    expect(world.opened()).toEqual([ask])
    expect(world.ledger.seq()).toBe(before)
    // The same again is the same ask.
    expect(said(await world.raise(first, ci))).toBe(ask?.id)
  })

  it('T27 takes the place of no call of the agent that was withdrawn as changed and is about to ask again', async () => {
    const world = await worldWithSession()
    const agents = await world.raise(plan('1'))
    if (!agents.ok) throw new Error(agents.refusal)
    await world.broker.withdraw(agents.ask.id, 'changed')
    expect(said(await world.raise(plan('mine'), ci))).toBe('duplicate_request')
    expect(await world.raise(plan('2'))).toMatchObject({ ok: true, ask: { replaces: agents.ask.id } })
  })
})

describe('F44 one request that is raised twice at once', () => {
  const command = (text: string) => ({ requestId: 'r', tool: { name: 'Bash', input: { command: text } } })
  const cases = {
    'the same of one program': [command('a'), ci, command('a'), ci],
    'two commands of one program': [command('a'), ci, command('b'), ci],
    'two plans of one program': [plan('a'), ci, plan('b'), ci],
    'the same of two programs': [command('a'), ci, command('a'), other],
    'the same of a program and of the agent': [command('a'), ci, command('a'), undefined],
  } as const

  it.each(Object.entries(cases))('is one ask, and nobody else’s: %s', async (name, [first, by, second, byOther]) => {
    const isSame = name === 'the same of one program'
    for (const gateways of [1, 2]) {
      const world = await worldWithSession()
      const { store } = world
      const beside = gateways === 1 ? world : await createCoreWorld({ store })
      const results = await Promise.all([world.raise(first, by), world.raise(second, byOther, beside)])
      const taken = results.filter((result) => result.ok)
      const records = await store.asks({ status: 'all', limit: 10 })
      expect(records).toHaveLength(1)
      expect(new Set(taken.map(({ ask }) => ask.id))).toEqual(new Set(records.map(({ ask }) => ask.id)))
      expect(taken).toHaveLength(isSame ? 2 : 1)
      if (!isSame) expect(results.map(said)).toContain('duplicate_request')
    }
  })
})

const large = (n: number) => ({
  requestId: `r${n}`,
  tool: { name: 'Write', input: { file_path: '/f', content: 'x'.repeat(1_900_000) } },
})

it('F58 what takes the place of an agent’s open ask needs room as any other, less what goes; without it both are gone', async () => {
  const world = await worldWithSession()
  for (const n of [1, 2, 3]) expect(await world.raise(large(n))).toMatchObject({ ok: true })
  expect(await world.raise(plan('a'.repeat(2_000_000)))).toMatchObject({ ok: true })
  const again = await world.raise(plan('b'.repeat(2_000_000)))
  expect(again).toMatchObject({ ok: true })
  expect(said(await world.raise(plan('c'.repeat(2_400_000))))).toBe('too_much_open')
  expect(world.opened().map(({ requestId }) => requestId)).toEqual(['r1', 'r2', 'r3'])
  const replaced = again.ok ? await world.store.ask(again.ask.id) : undefined
  expect(replaced?.outcome).toMatchObject({ kind: 'withdrawn', reason: 'changed' })
})
