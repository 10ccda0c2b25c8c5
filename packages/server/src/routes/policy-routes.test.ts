import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentDriver } from '@holdpoint/core/driver'
import type { PolicyRule, Verdict } from '@holdpoint/schema/policy'
import type { PolicyFileState } from '@holdpoint/schema/policy-file'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const EVERYWHERE = { kind: 'everywhere' }
const RULE = { effect: 'deny', agent: '*', pattern: 'Bash(sudo *)', scope: EVERYWHERE }

interface Policy {
  rules: PolicyRule[]
  starter: object[]
  fromStarter: string[]
  file: PolicyFileState
  repository?: { path: string; ignored: string[]; error?: string }
  warnings: { rule: string; text: string }[]
}

/** Knows what one tool does, and runs nothing. */
const driver: AgentDriver = {
  agent: 'claude',
  toolNames: ['Bash', 'WebSearch'],
  actionOf: ({ tool }) => ({ action: { type: 'command', command: String(tool.input.command) } }),
  start: () => Promise.reject(new Error('not here')),
}

let test: TestGateway
let folder: string
beforeEach(async () => {
  test = await startTestGateway({ drivers: () => [driver] })
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-policy-')))
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const policy = (query = '') => test.api.ok<Policy>('GET', `/api/policy${query}`)
const add = (rule: object) => test.api.call<PolicyRule>('POST', '/api/policy/rules', rule)
const writeFile = (...rules: object[]) =>
  writeFileSync(join(test.dataDir, 'policy.json'), JSON.stringify({ rules }), { mode: 0o600 })
const verdict = (command: string) =>
  test.api.ok<Verdict>('POST', '/api/policy/explain', { tool: 'Bash', input: { command }, cwd: folder })

describe('rules over the API', () => {
  it.each([
    ['does not parse', { pattern: 'Bash(rm' }, 422],
    ['is a regular expression', { pattern: '/^rm.*/' }, 422],
    ['has a regular expression in it', { pattern: 'Bash(^rm .*$)' }, 422],
    ['allows everything', { effect: 'allow', pattern: 'Bash' }, 422],
    ['fails its own tests', { match: ['ls'] }, 422],
    ['has a folder with ..', { scope: { kind: 'project', folder: '/a/../b' } }, 422],
    ['has a field that nobody knows', { allowAll: true }, 422],
    ['has another effect', { effect: 'permit' }, 422],
    ['is too long', { pattern: `Bash(${'a '.repeat(1500)})` }, 422],
  ])('are refused in words where one %s', async (_, wrong, status) => {
    const reply = await add({ ...RULE, ...wrong })
    expect(reply.status).toBe(status)
    expect(JSON.stringify(reply.body)).toMatch(/"message":"[^"]{10,}/)
    expect((await policy()).rules).toEqual([])
  })

  it('are taken with a warning for a tool that no agent is known to have', async () => {
    const { body: rule } = await add({ ...RULE, pattern: 'WebSarch' })
    await add({ ...RULE, pattern: 'WebSearch' })
    const { warnings } = await policy()
    expect(warnings).toEqual([{ rule: rule.id, text: expect.stringContaining('WebSarch') }])
  })

  it('of the starter set that ask are added, though the same one is there for a project, an agent or a while', async () => {
    const push = { effect: 'ask', agent: '*', pattern: 'Bash(git push *)', scope: EVERYWHERE }
    await add({ ...push, scope: { kind: 'project', folder } })
    await add({ ...push, agent: 'codex' })
    await add({ ...push, until: Date.now() + 60_000 })
    expect((await test.api.call('POST', '/api/policy/starter')).status).toBe(200)
    expect(await verdict('git push')).toMatchObject({ effect: 'ask' })
    const same = (await policy()).rules.filter(({ pattern }) => pattern === push.pattern)
    expect(same).toHaveLength(4)
    expect(same.at(-1)).toMatchObject({ agent: '*', scope: EVERYWHERE })
    await test.api.call('POST', '/api/policy/starter')
    expect((await policy()).rules.filter(({ pattern }) => pattern === push.pattern)).toHaveLength(4)
  })

  it('T33 of the starter set are removed as they were shown, or not at all; what was edited stays', async () => {
    const mine = { effect: 'ask', agent: '*', pattern: 'Bash(git push *)', scope: EVERYWHERE }
    const { body: own } = await add({ ...mine, scope: { kind: 'project', folder } })
    await test.api.ok('POST', '/api/policy/starter')
    const shown = await policy()
    expect(shown.fromStarter).toHaveLength(shown.rules.length - 1)
    const remove = (rules: readonly string[]) => test.api.call<Policy>('POST', '/api/policy/starter/remove', { rules })
    const [edited, ...others] = shown.fromStarter.map((id) => shown.rules.find((rule) => rule.id === id))
    if (!edited) throw new Error('the set is empty')
    const { id, by: _, at: __, revision, ...rule } = edited
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision, rule: { ...rule, why: 'Mine now.' } })
    const refused = { status: 409, body: { error: { code: 'changed' } } }
    expect(await remove(shown.fromStarter)).toMatchObject(refused)
    expect(await remove([own.id])).toMatchObject(refused)
    expect((await policy()).rules).toHaveLength(shown.rules.length)
    // Edited back to what it was, it is still one that somebody has edited.
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision: revision + 1, rule })
    expect(await remove(shown.fromStarter)).toMatchObject(refused)

    const left = await remove(others.flatMap((each) => each?.id ?? []))
    expect(left).toMatchObject({ status: 200, body: { fromStarter: [] } })
    expect(left.body.rules.map((each) => each.id).sort()).toEqual([own.id, id].sort())
    expect(left.body.starter).toHaveLength(others.length)
    expect(await remove(shown.fromStarter)).toMatchObject(refused)
  })

  it('T61 hold in a project that is named by a link: rules know folders by their real path', async () => {
    const link = join(folder, 'link')
    const project = join(folder, 'project')
    mkdirSync(project)
    symlinkSync(project, link)
    const scope = { kind: 'project', folder: link }
    const { body: rule } = await add({ ...RULE, scope })
    expect(rule.scope).toEqual({ kind: 'project', folder: project })
    const change = { revision: 0, rule: { ...RULE, why: 'Once more.', scope } }
    const { body: changed } = await test.api.call<PolicyRule>('POST', `/api/policy/rules/${rule.id}`, change)
    expect(changed.scope).toEqual({ kind: 'project', folder: project })
    const settings = { permissions: { deny: ['Bash(rm *)'] } }
    const body = { format: 'claude-code', settings, scope, apply: true }
    expect(await test.api.ok('POST', '/api/policy/import', body)).toMatchObject({
      added: [{ scope: { kind: 'project', folder: project } }],
    })
    const call = { tool: 'Bash', input: { command: 'sudo ls' }, cwd: link }
    expect(await test.api.ok('POST', '/api/policy/explain', call)).toMatchObject({ effect: 'deny' })
    const checked = { rule: { ...RULE, pattern: 'Bash(ls)', scope }, call: { ...call, input: { command: 'ls' } } }
    expect(await test.api.ok('POST', '/api/policy/check', checked)).toMatchObject({ verdict: { effect: 'deny' } })
  })

  it('T33 are changed by the first of two devices, and the second gets 409', async () => {
    const { body: rule } = await add(RULE)
    const edit = (pattern: string) =>
      test.api.call('POST', `/api/policy/rules/${rule.id}`, { revision: 0, rule: { ...RULE, pattern } })
    const replies = await Promise.all([edit('Bash(a)'), edit('Bash(b)')])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await policy()).toMatchObject({ rules: [{ revision: 1 }] })
  })

  it('are 10,000 at most, with a clear error beyond', async () => {
    const rules = (count: number, from = 0) =>
      Array.from({ length: count }, (_, n) => ({ effect: 'deny', pattern: `Bash(x${from + n})` }))
    const bring = (count: number, from?: number) =>
      test.api.call('POST', '/api/policy/import', {
        format: 'holdpoint',
        file: { rules: rules(count, from) },
        apply: true,
      })
    expect((await bring(10_001)).status).toBe(429)
    expect((await policy()).rules).toHaveLength(0)
    expect((await bring(10_000)).status).toBe(200)
    expect(await bring(1, 20_000)).toMatchObject({ status: 429, body: { error: { code: 'too_many_rules' } } })
    expect(await add(RULE)).toMatchObject({ status: 429 })
    expect(await verdict('x9999')).toMatchObject({ effect: 'deny' })
  })
})

describe('the policy file over the API', () => {
  it('T71 T33 is in force as far as it is stricter; the rest waits for the digest that was shown', async () => {
    writeFile({ effect: 'allow', pattern: 'Bash(ls *)' }, { effect: 'deny', pattern: 'Bash(sudo *)' })
    expect(await verdict('sudo ls')).toMatchObject({ effect: 'deny' })
    expect(await verdict('ls')).toMatchObject({ effect: 'none' })
    const { file } = await policy()
    expect(file).toMatchObject({ path: join(test.dataDir, 'policy.json'), waiting: { added: [{ effect: 'allow' }] } })
    expect(await test.api.ok('GET', '/api/status')).toMatchObject({ policyFile: { waiting: 1 } })
    const confirm = (digest?: string) => test.api.call('POST', '/api/policy/file/confirm', { digest })
    expect(await confirm('0'.repeat(64))).toMatchObject({ status: 409, body: { error: { code: 'changed' } } })
    writeFile({ effect: 'allow', pattern: 'Bash(cat *)' }, { effect: 'deny', pattern: 'Bash(sudo *)' })
    expect(await confirm(file.waiting?.digest)).toMatchObject({ status: 409 })
    expect(await confirm((await policy()).file.waiting?.digest)).toMatchObject({ status: 200 })
    expect(await verdict('cat x')).toMatchObject({ effect: 'allow' })
    expect(await verdict('ls')).toMatchObject({ effect: 'none' })
  })

  it('is confirmed by owners alone', async () => {
    writeFile({ effect: 'allow', pattern: 'Bash(ls *)' })
    const { file } = await policy()
    for (const role of ['approver', 'viewer'] as const) {
      const { api } = await test.credential({ role })
      const reply = await api.call('POST', '/api/policy/file/confirm', { digest: file.waiting?.digest })
      expect(reply.status).toBe(403)
    }
    expect(await verdict('ls')).toMatchObject({ effect: 'none' })
  })

  it('says in the status and the log that it is broken, and the rules of before stay', async () => {
    writeFile({ effect: 'deny', pattern: 'Bash(sudo *)' })
    await policy()
    writeFileSync(join(test.dataDir, 'policy.json'), '{')
    expect(await verdict('sudo ls')).toMatchObject({ effect: 'deny' })
    expect((await policy()).file.error).toContain('not valid JSON')
    expect(await test.api.ok('GET', '/api/status')).toMatchObject({
      policyFile: { error: expect.stringContaining('JSON') },
    })
    expect(test.logged.join('')).toContain('policy_file_not_used')
  })

  it('of a repository is shown with what is ignored in it', async () => {
    mkdirSync(join(folder, '.holdpoint'))
    const path = join(folder, '.holdpoint', 'policy.json')
    writeFileSync(path, JSON.stringify({ rules: [{ effect: 'allow', pattern: 'Bash(ls)' }] }))
    const { repository } = await policy(`?folder=${encodeURIComponent(folder)}`)
    expect(repository).toEqual({ path, rules: [], ignored: ['Bash(ls)'] })
    expect((await policy()).repository).toBeUndefined()
    expect((await policy('?folder=nowhere')).repository).toBeUndefined()
  })
})

describe('import and export', () => {
  const settings = { permissions: { allow: ['Bash(ls:*)', 'Bash'], deny: ['Bash(sudo:*)'] } }
  const body = { format: 'claude-code', settings, scope: EVERYWHERE }
  const bring = (more: object = {}) =>
    test.api.ok<{ added: object[]; known: object[]; notMapped: object[] }>('POST', '/api/policy/import', {
      ...body,
      ...more,
    })

  it('shows what would be added, adds it once, and lists what has no counterpart', async () => {
    const tried = await bring()
    expect(tried).toMatchObject({
      added: [{ pattern: 'Bash(ls *)' }, { pattern: 'Bash(sudo *)' }],
      notMapped: [{ rule: 'allow Bash' }],
    })
    expect((await policy()).rules).toEqual([])
    expect(await bring({ apply: true })).toEqual({ ...tried, applied: true })
    expect(await bring({ apply: true })).toMatchObject({ added: [], known: tried.added })
    expect((await policy()).rules).toHaveLength(2)
  })

  it('gives back a policy file that brings the same rules elsewhere', async () => {
    await bring({ apply: true })
    writeFile({ effect: 'ask', pattern: 'Bash(rm *)', match: ['rm x'] })
    const { content } = await test.api.ok<{ content: object }>('GET', '/api/policy/export')
    await using other = await startTestGateway()
    await other.api.ok('POST', '/api/policy/import', { format: 'holdpoint', file: content, apply: true })
    const meaning = ({ effect, agent, pattern, match }: PolicyRule) => ({ effect, agent, pattern, match })
    const brought = (await other.api.ok<Policy>('GET', '/api/policy')).rules
    const { rules, file } = await policy()
    expect(brought.map(meaning)).toEqual([...rules, ...file.rules].map(meaning))
  })

  it('gives permissions for Claude Code, and lists what would allow more there', async () => {
    await bring({ apply: true })
    expect(await test.api.ok('GET', '/api/policy/export?format=claude-code')).toEqual({
      content: { permissions: { allow: [], ask: [], deny: ['Bash(sudo *)'] } },
      notMapped: [{ rule: 'allow Bash(ls *)', why: expect.stringContaining('would allow more') }],
    })
  })

  it.each([{ format: 'codex' }, { scope: undefined }, { settings: [] }, { extra: 1 }])('refuses %j', async (wrong) => {
    expect((await test.api.call('POST', '/api/policy/import', { ...body, ...wrong })).status).toBe(422)
  })
})
