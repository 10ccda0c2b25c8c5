import type { AskFile, AskRequest } from '@holdpoint/schema/ask'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest, type SyntheticAgent } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'

const hash = (letter: string) => letter.repeat(64)
const script = (letter: string): AskFile => ({ path: '/w/build.sh', use: 'runs', sha256: hash(letter) })
const build = (letter: string): Partial<AskRequest> => ({
  requestId: 'build',
  tool: { name: 'Bash', input: { command: 'sh build.sh' } },
  files: [script(letter)],
})

/** A world whose files all have the content that `disk` says. */
async function worldWithDisk() {
  const disk = { content: 'a' }
  const world = await createCoreWorld({
    whatChanged: async ({ files = [] }) =>
      files.some(({ sha256 }) => sha256 !== hash(disk.content)) ? 'A file has changed.' : undefined,
  })
  const { session, agent } = await world.session()
  return { ...world, disk, started: session, agent }
}

/** As a driver does it, without a word on what the agent was told. */
function raise({ agent }: { agent: SyntheticAgent }, request: Partial<AskRequest>) {
  return agent.start.ask(askRequest(request), { signal: new AbortController().signal })
}

describe('T63 an ask whose file has changed', () => {
  it('refuses the allow, is withdrawn, and asks again at once for the same call under a new id', async () => {
    const world = await worldWithDisk()
    const asking = world.agent.ask(build('a'), undefined, () => build(world.disk.content))
    const first = await world.open(world.started)
    world.disk.content = 'b'
    expect(await world.answer(first, { kind: 'allow' })).toEqual({
      ok: false,
      refusal: { code: 'changed', message: 'A file has changed.' },
    })
    const second = await world.open(world.started)
    expect(second).toMatchObject({ requestId: 'build', toolUseId: first.toolUseId, replaces: first.id })
    expect(second.files).toEqual([script('b')])
    expect(second.id).not.toBe(first.id)
    expect(second.digest).not.toBe(first.digest)
    expect(world.view(world.started)?.asks.size).toBe(1)
    const changed = { kind: 'withdrawn', reason: 'changed' }
    for (const answer of [{ kind: 'allow' }, { kind: 'deny' }] as const) {
      const late = await world.answer(first, answer)
      expect(late).toMatchObject({ ok: false, refusal: { code: 'already_settled', outcome: changed } })
    }
    await world.answer(second, { kind: 'allow' })
    expect(await asking).toMatchObject({ kind: 'allowed' })
    expect((await world.store.ask(first.id))?.outcome).toMatchObject(changed)
  })

  it('looks at the folder of what an agent asks for, and at nothing for a raiser, who may be on another machine', async () => {
    const world = await createCoreWorld({ whatChanged: async () => 'It is another folder.' })
    const { session, agent } = await world.session()
    agent.ask({ requestId: 'here', toolUseId: 'toolu_1', context: { cwd: '/w' } }).catch(() => {})
    const here = await world.open(session)
    expect(await world.answer(here, { kind: 'allow' })).toMatchObject({ ok: false, refusal: { code: 'changed' } })
    const request = askRequest({ requestId: 'there', toolUseId: 'toolu_2', context: { cwd: '/w' } })
    const { id: sessionId, epoch } = session
    await world.broker.raise({ sessionId, epoch, request, raisedBy: { id: 'dev_raiser', name: 'CI' } })
    const there = await world.open(session)
    expect(await world.answer(there, { kind: 'allow' })).toMatchObject({ ok: true, outcome: { kind: 'allowed' } })
  })

  it('takes a no all the same, and an answer that would not count changes nothing', async () => {
    const world = await worldWithDisk()
    const asking = world.agent.ask(build('a'), undefined, () => build(world.disk.content))
    const ask = await world.open(world.started)
    world.disk.content = 'b'
    const strayed = await world.answer(ask, { kind: 'allow', digest: 'of another ask' })
    expect(strayed).toMatchObject({ refusal: { code: 'digest_mismatch' } })
    const stranger = await world.answer(ask, { kind: 'allow' }, { mayAnswer: () => 'no' })
    expect(stranger).toMatchObject({ refusal: { code: 'forbidden' } })
    expect(await world.open(world.started)).toEqual(ask)
    await world.answer(ask, { kind: 'deny' })
    expect(await asking).toMatchObject({ kind: 'denied' })
  })

  it('is asked as often as it changes, within the time limit of the first', async () => {
    const world = await worldWithDisk()
    const { session, agent } = await world.session({ askTimeoutMs: 60_000 })
    void agent.ask(build('a'), undefined, () => build(world.disk.content))
    const seen = [await world.open(session)]
    for (const content of ['b', 'a', 'c']) {
      world.time.advance(1000)
      world.disk.content = content
      const last = seen.at(-1)
      if (last) await world.answer(last, { kind: 'allow' })
      seen.push(await world.open(session))
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(4)
    expect(new Set(seen.map(({ expiresAt }) => expiresAt)).size).toBe(1)
  })

  it('ends as withdrawn where the call cannot be made anew', async () => {
    const world = await worldWithDisk()
    const asking = world.agent.ask(build('a'))
    const ask = await world.open(world.started)
    world.disk.content = 'b'
    await world.answer(ask, { kind: 'allow' })
    expect(await asking).toMatchObject({ kind: 'withdrawn', reason: 'changed' })
  })
})

describe('T63 a request that is delivered again after a restart', () => {
  it('is one ask while its files are the same, and another one when they are not', async () => {
    const world = await worldWithDisk()
    void raise(world, build('a'))
    const first = await world.open(world.started)
    void raise(world, build('a'))
    void raise(world, build('b'))
    await expect.poll(async () => (await world.open(world.started)).id).not.toBe(first.id)
    const asks = (await world.store.asks({ status: 'all', limit: 10 })).map(({ ask, outcome }) => [
      ask.files,
      outcome?.reason,
    ])
    expect(asks).toEqual([
      [[script('b')], undefined],
      [[script('a')], 'changed'],
    ])
  })

  it.each([
    ['another folder', { cwd: '/w/other' }],
    ['none that is known', {}],
  ])('T62 is another one when it would act in %s', async (_, context) => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const asking = raise({ agent }, { ...build('a'), context: { cwd: '/w' } })
    const first = await world.open(session)
    const again = agent.ask({ ...build('a'), context })
    await expect.poll(async () => (await world.open(session)).id).not.toBe(first.id)
    const second = await world.open(session)
    expect(second).toMatchObject({ replaces: first.id, context })
    expect((await world.store.ask(first.id))?.outcome).toMatchObject({ kind: 'withdrawn', reason: 'changed' })
    expect(await asking).toMatchObject({ kind: 'withdrawn', reason: 'changed' })
    await world.answer(second, { kind: 'allow' })
    expect(await again).toMatchObject({ kind: 'allowed' })
    await expect(agent.ask({ ...build('a'), context: { cwd: '/w' } })).rejects.toMatchObject({ code: 'changed' })
  })

  it('is asked again when the gateway went between the withdrawal and the new ask', async () => {
    const world = await worldWithDisk()
    void raise(world, build('a'))
    const first = await world.open(world.started)
    await world.broker.withdraw(first.id, 'changed')
    const asking = world.agent.ask(build('b'))
    const second = await world.open(world.started)
    expect(second).toMatchObject({ replaces: first.id, files: [script('b')] })
    world.disk.content = 'b'
    await world.answer(second, { kind: 'allow' })
    expect(await asking).toMatchObject({ kind: 'allowed' })
  })

  it('gets a recorded no whatever has changed, and no recorded yes for other files', async () => {
    const world = await worldWithDisk()
    for (const kind of ['deny', 'allow'] as const) {
      const asking = world.agent.ask({ ...build('a'), requestId: kind })
      await world.answer(await world.open(world.started), { kind })
      await asking
    }
    expect(await world.agent.ask({ ...build('b'), requestId: 'deny' })).toMatchObject({ kind: 'denied' })
    await expect(world.agent.ask({ ...build('b'), requestId: 'allow' })).rejects.toMatchObject({
      code: 'changed',
    })
  })
})
