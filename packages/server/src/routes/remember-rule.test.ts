import { createHash } from 'node:crypto'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { OfferedRules } from '@holdpoint/schema/endpoints/asks'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

type Judging = Awaited<ReturnType<typeof startJudgingGateway>>

/** Makes a call that nothing allows yet, and gives its ask. */
async function asked(test: Judging, command: string, given?: Partial<AskRequest>): Promise<Ask> {
  const before = new Set((await test.api.openAsks()).map(({ id }) => id))
  // It waits until the gateway is closed, if nobody answers.
  test.bash(command, given).catch(() => {})
  let ask: Ask | undefined
  await until(async () => {
    ask = (await test.api.openAsks()).find(({ id }) => !before.has(id))
    return ask !== undefined
  }, `the ask for ${command}`)
  return ask ?? expect.fail()
}

async function remember(test: Judging, ask: Ask, wanted: object, api = test.api) {
  return api.answer(ask, { kind: 'allow', remember: wanted })
}

/** Twenty calls that are nearly `git log --oneline -5`. */
const NEARLY = [
  'git log --oneline -5 ; id',
  'git log --oneline -5 && id',
  'git log --oneline -5 | sh',
  'git log --oneline -5 > out',
  'git log --oneline -5 &',
  'git log --oneline -5 $(id)',
  'git log --oneline -5 `id`',
  'git log --oneline -5 --output=x',
  'git log --oneline -5 -- $HOME',
  'git log --oneline',
  'git log -5 --oneline',
  'git log --oneline -5 src',
  'git log --oneline -6',
  'git -c core.pager=id log --oneline -5',
  'git --git-dir=x log --oneline -5',
  './git log --oneline -5',
  'GIT_PAGER=id git log --oneline -5',
  'env git log --oneline -5',
  'cd .. && git log --oneline -5',
  'git push --oneline -5',
]

describe('allow and remember, as a rule', () => {
  const LOG = 'git log --oneline -5'

  async function trusting() {
    const test = await startJudgingGateway()
    await test.api.ok('POST', `/api/sessions/${test.session.id}/trust`)
    return test
  }

  it('T61 T32 lets exactly this command run from then on; twenty near-misses ask, and nothing open is settled', async () => {
    await using test = await trusting()
    const ask = await asked(test, LOG)
    const sibling = await asked(test, LOG)
    const reply = await remember(test, ask, { scope: 'project', rule: `Bash(${LOG})` })
    expect(reply).toMatchObject({
      status: 200,
      body: { outcome: { kind: 'allowed', rule: expect.stringMatching(/^rul_/) } },
    })
    const { rules } = await test.policyState()
    expect(rules).toMatchObject([
      {
        effect: 'allow',
        agent: 'claude',
        pattern: `Bash(${LOG})`,
        scope: { kind: 'project', folder: test.project },
        by: { role: 'owner' },
      },
    ])
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([sibling.id])
    expect(await test.bash(LOG)).toMatchObject({ kind: 'allowed', via: 'rule', rules: [rules[0]?.id] })
    for (const command of NEARLY) expect((await asked(test, command)).outcome, command).toBeUndefined()
  })

  it('T32 with a wildcard, still asks for what does not only read', async () => {
    await using test = await trusting()
    await remember(test, await asked(test, LOG), { scope: 'session', rule: 'Bash(git log *)' })
    expect(await test.bash('git log --oneline -6 src')).toMatchObject({ kind: 'allowed', via: 'rule' })
    const beyond = NEARLY.filter((command) => !/^git log( --oneline| -5| -6| src)*$/.test(command))
    expect(beyond.length).toBe(16)
    for (const command of beyond) expect((await asked(test, command)).outcome, command).toBeUndefined()
  })

  it('asks again as soon as the rule is removed', async () => {
    await using test = await startJudgingGateway()
    const reply = await remember(test, await asked(test, 'ls -l'), { scope: 'everywhere', rule: 'Bash(ls -l)' })
    expect(await test.bash('ls -l')).toMatchObject({ via: 'rule' })
    const { rule } = (reply.body as { outcome: { rule: string } }).outcome
    expect((await test.api.call('DELETE', `/api/policy/rules/${rule}`)).status).toBe(204)
    await asked(test, 'ls -l')
  })

  it('holds until its time is over', async () => {
    const { clock, advance } = createManualClock()
    await using test = await startJudgingGateway({ clock })
    const end = clock.now() + 900_000
    await remember(test, await asked(test, 'ls -l'), { scope: 'session', rule: 'Bash(ls -l)', until: end })
    expect(await test.bash('ls -l')).toMatchObject({ via: 'rule' })
    advance(900_000)
    const late = await asked(test, 'ls -l')
    const over = await remember(test, late, { scope: 'session', rule: 'Bash(ls -l)', until: end })
    expect(over).toMatchObject({ status: 422, body: { error: { issues: [expect.stringMatching(/in the past/)] } } })
  })

  it('holds in its project alone, or in its session alone', async () => {
    await using test = await startJudgingGateway()
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-elsewhere-')))
    const [beside, other] = [await test.newSession(), await test.newSession(elsewhere)]
    await remember(test, await asked(test, 'ls -l'), { scope: 'project', rule: 'Bash(ls -l)' })
    await remember(test, await asked(test, 'ls -a'), { scope: 'session', rule: 'Bash(ls -a)' })
    expect(await test.bash('ls -l', { agent: beside.agent })).toMatchObject({ via: 'rule' })
    expect(await test.bash('ls -a')).toMatchObject({ via: 'rule' })
    await asked(test, 'ls -a', { agent: beside.agent } as object)
    await asked(test, 'ls -l', { agent: other.agent, context: { cwd: elsewhere } } as object)
    await rm(elsewhere, { recursive: true })
  })

  it('is pinned to the script that the command runs, and ends when that changes', async () => {
    await using test = await startJudgingGateway()
    const path = join(test.project, 'build.sh')
    await writeFile(path, 'echo one\n', { mode: 0o755 })
    const sha256 = createHash('sha256').update('echo one\n').digest('hex')
    const files: AskRequest['files'] = [{ path, use: 'runs', sha256 }]
    const ask = await asked(test, './build.sh', { files })
    const offered = await test.api.ok<OfferedRules>('GET', `/api/asks/${ask.id}/rules`)
    expect(offered.rules).toMatchObject([{ pattern: 'Bash(./build.sh)', pins: [{ path, sha256 }] }])
    await remember(test, ask, { scope: 'project', rule: 'Bash(./build.sh)' })
    expect((await test.policyState()).rules).toMatchObject([{ pins: [{ path, sha256 }] }])
    expect(await test.bash('./build.sh', { files })).toMatchObject({ via: 'rule' })
    await writeFile(path, 'echo two\n')
    expect((await asked(test, './build.sh')).askedBecause?.reason).toMatch(/has changed since the rule was made/)
  })

  it('T61 says that it holds for changed files, where not all files that the command runs are known', async () => {
    await using test = await startJudgingGateway()
    const filesUnknown = 'Holdpoint does not know which files perl -Ilib loads.'
    const says = async (command: string) => {
      const ask = await asked(test, command, { filesUnknown })
      return (await test.api.ok<OfferedRules>('GET', `/api/asks/${ask.id}/rules`)).rules[0]?.says
    }
    expect(await says('perl -Ilib a.pl')).toContain(
      `${filesUnknown} The rule still allows it when such files have changed.`,
    )
    expect(await says('touch a')).toBe('Exactly this command.')
  })
})

describe('a rule that an allow names', () => {
  it.each([
    [{ scope: 'project', rule: 'Bash(' }, /bracket/],
    [{ scope: 'project', rule: 'Bash(npm *)' }, /the exact command/],
    [{ scope: 'project', rule: 'Bash(rm -rf x)' }, /would not allow this call/],
    [{ scope: 'everywhere', rule: '' }, /empty/],
    [{ scope: 'everywhere' }, /needs a rule/],
    [{ scope: 'session', until: 9_999_999_999_999 }, /needs a rule/],
  ])('is refused with the answer, which can be given again: %j', async (wanted, why) => {
    await using test = await startJudgingGateway()
    const ask = await asked(test, 'npm test')
    const reply = await remember(test, ask, wanted)
    expect(reply).toMatchObject({ status: 422, body: { error: { issues: [expect.stringMatching(why)] } } })
    expect((await test.policyState()).rules).toEqual([])
    expect((await remember(test, ask, { scope: 'session', rule: 'Bash(npm test)' })).status).toBe(200)
  })

  it('never beats a rule that asks', async () => {
    await using test = await startJudgingGateway()
    await test.addRule({ effect: 'ask', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } })
    const ask = await asked(test, 'ls -l')
    const offered = await test.api.ok<OfferedRules>('GET', `/api/asks/${ask.id}/rules`)
    expect(offered).toMatchObject({ rules: [], why: expect.stringMatching(/`Bash\(ls \*\)` asks about/) })
    expect((await remember(test, ask, { scope: 'session', rule: 'Bash(ls -l)' })).status).toBe(422)
  })

  it('T10 is made by an owner only, in every scope; an approver has exactly this call remembered', async () => {
    await using test = await startJudgingGateway()
    const wide = await test.credential({ role: 'approver' })
    const narrow = await test.credential({ role: 'approver', sessionIds: [test.session.id] })
    const ask = await asked(test, 'ls -l')
    for (const { api } of [wide, narrow]) {
      const path = `/api/asks/${ask.id}/rules`
      expect(await api.ok<OfferedRules>('GET', path)).toMatchObject({ rules: [], suggested: [], scopes: [] })
      for (const scope of ['session', 'project', 'everywhere']) {
        const wanted = { scope, rule: 'Bash(ls -l)' }
        expect((await remember(test, ask, wanted, api)).status).toBe(403)
        expect((await api.call('POST', path, wanted)).status).toBe(403)
        const answers = [{ id: ask.id, kind: 'allow', digest: ask.digest, remember: wanted }]
        expect(await api.ok('POST', '/api/asks/answer', { answers })).toMatchObject({ results: [{ status: 403 }] })
      }
    }
    expect((await remember(test, ask, { scope: 'session' }, narrow.api)).status).toBe(200)
    expect((await test.policyState()).rules).toEqual([])
  })

  it('is not made by an answer that comes too late, nor twice by one that is repeated', async () => {
    await using test = await startJudgingGateway()
    const ask = await asked(test, 'ls -l')
    const answer = { kind: 'allow', digest: ask.digest, remember: { scope: 'session', rule: 'Bash(ls -l)' } }
    const send = (key: string) =>
      test.api.call('POST', `/api/asks/${ask.id}/answer`, answer, { 'idempotency-key': key })
    const [first, second] = await Promise.all([send('a'), send('b')])
    expect([first.status, second.status].sort()).toEqual([200, 409])
    const again = await send(first.status === 200 ? 'a' : 'b')
    expect(again).toMatchObject({ status: 200 })
    expect((await test.policyState()).rules.length).toBe(1)
  })

  it('that the disk does not take is told: allowed once', async () => {
    await using test = await startJudgingGateway()
    const ask = await asked(test, 'ls -l')
    const { records } = test.store
    const put = records.put
    records.put = async (collection, key, value) => {
      if (collection === 'prepared-policy-rules') throw new Error('full')
      return put(collection, key, value)
    }
    expect(await remember(test, ask, { scope: 'session', rule: 'Bash(ls -l)' })).toMatchObject({
      status: 200,
      body: { outcome: { kind: 'allowed', notRemembered: 'the rule could not be saved' } },
    })
    expect((await test.policyState()).rules).toEqual([])
  })
})

describe('rules that are offered for an ask', () => {
  it('come with what the agent itself suggests, where that is a rule of ours', async () => {
    await using test = await startJudgingGateway()
    const suggestions = [
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'localSettings',
        rules: [
          { toolName: 'Bash', ruleContent: 'ls:*' },
          { toolName: 'Bash', ruleContent: 'npm:*' },
        ],
      },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]
    const ask = await asked(test, 'ls -l', { suggestions })
    const offered = await test.api.ok<OfferedRules>('GET', `/api/asks/${ask.id}/rules`)
    expect(offered.rules.map(({ pattern }) => pattern)).toEqual(['Bash(ls -l)', 'Bash(ls *)'])
    expect(offered.suggested).toEqual([{ pattern: 'Bash(ls:*)', says: expect.stringContaining('localSettings') }])
    expect(offered).toMatchObject({ scopes: ['session', 'project', 'everywhere'], project: test.project })
  })

  it('are none where rules allow it already and the agent requires a person', async () => {
    await using test = await startJudgingGateway()
    await test.addRule({ effect: 'allow', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } })
    const context = { cwd: test.project, command: 'ls -l' }
    const { ask } = await test.openAsk(test.agent, { tool: { name: 'Bash', input: { command: 'ls -l' } }, context })
    const offered = await test.api.ok<OfferedRules>('GET', `/api/asks/${ask.id}/rules`)
    expect(offered).toMatchObject({ rules: [], why: expect.stringMatching(/^Rules allow this already/) })
  })

  it('are none for what is settled, and checked without being saved', async () => {
    await using test = await startJudgingGateway()
    const ask = await asked(test, 'ls -l')
    const path = `/api/asks/${ask.id}/rules`
    expect(await test.api.ok('POST', path, { scope: 'project', rule: 'Bash(ls -l)' })).toEqual({})
    expect(await test.api.ok('POST', path, { scope: 'project', rule: 'Bash(rm x)' })).toEqual({
      problem: expect.stringMatching(/would not allow this call/),
    })
    expect((await test.policyState()).rules).toEqual([])
    await test.api.answer(ask, { kind: 'deny' })
    expect((await test.api.call('GET', path)).status).toBe(409)
  })
})
