import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PolicyRule, Verdict } from '@holdpoint/schema/policy'
import type { PolicyFileState } from '@holdpoint/schema/policy-file'
import { type BuiltGateway, startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXIT } from './console/cli-error.ts'

let gateway: BuiltGateway
let project: string
let file: string
beforeAll(async () => {
  gateway = await startBuiltGateway()
  file = join(gateway.dataDir, 'policy.json')
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'hp-rules-')))
})
afterEach(async () => {
  rmSync(project, { recursive: true, force: true })
  for (const { id } of await saved()) await gateway.api.call('DELETE', `/api/policy/rules/${id}`)
})

const rules = (...args: readonly string[]) => gateway.command(['rules', ...args])
const saved = async () => (await gateway.api.ok<{ rules: PolicyRule[] }>('GET', '/api/policy')).rules
const writeFile = (...written: readonly object[]) =>
  writeFileSync(file, JSON.stringify({ rules: written }), { mode: 0o600 })

describe('holdpoint rules', () => {
  it('adds, lists and removes a rule', async () => {
    const added = await rules(
      ...['add', '--allow', 'Bash(ls *)', '--project', project, '--until', '15m', '--agent', 'claude'],
      ...['--why', 'It lists', '--match', 'ls -l', '--match', 'ls', '--not-match', 'rm x'],
    )
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(added.stdout).toContain(`added: allow Bash(ls *), in ${project}, for claude only, until 2`)
    const [rule] = await saved()
    expect(rule).toMatchObject({
      scope: { kind: 'project', folder: project },
      why: 'It lists',
      match: ['ls -l', 'ls'],
      notMatch: ['rm x'],
    })
    const listed = await rules('list', '--project', project)
    expect(listed.stdout).toMatch(/^ID +EFFECT +SCOPE +SOURCE +AGENT +UNTIL +PATTERN\n/)
    expect(listed.stdout).toMatch(/allow +\S+ +app +claude +2\S+ \S+ +Bash\(ls \*\)\n/)
    expect(JSON.parse((await rules('list', '--json')).stdout).rules).toEqual([rule])
    const removed = await rules('remove', (rule?.id ?? '').slice(-6))
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed: allow Bash(ls *)') })
    expect(await saved()).toEqual([])
    expect((await rules('list', '--project', project)).stderr).toContain('There are no rules')
    expect(await rules('remove', 'zzzzzz')).toMatchObject({
      code: EXIT.failure,
      stderr: expect.stringContaining('no rule'),
    })
  })

  it('removes the starter set after a yes, and says how many rules that were', async () => {
    const { rules: added } = await gateway.api.ok<{ rules: PolicyRule[] }>('POST', '/api/policy/starter')
    expect(await rules('remove', '--starter')).toMatchObject({ code: EXIT.usage, stdout: '' })
    expect(await saved()).toHaveLength(added.length)
    expect(await rules('remove', '--starter', '--yes')).toMatchObject({
      code: 0,
      stdout: `${added.length} rules of the starter set removed.\n`,
    })
    expect(await saved()).toEqual([])
    for (const args of [['--starter', '--yes'], ['--starter', 'abcd'], []])
      expect((await rules('remove', ...args)).code, String(args)).not.toBe(0)
  })

  it.each<[readonly string[], string]>([
    [[], 'one of --allow, --ask and --deny'],
    [['--allow', 'Bash(ls)', '--deny', 'Bash(rm)'], 'one of --allow, --ask and --deny'],
    [['--ask', 'Bash(ls)', '--everywhere', '--project', '.'], 'not both'],
    [['--ask', 'Bash(ls)', '--project', '/no/such/folder'], 'There is no folder'],
    [['--ask', 'Bash(ls)', '--until', 'tomorrow'], 'expected a time'],
  ])('refuses the flags %j', async (flags, why) => {
    expect(await rules('add', ...flags)).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining(why) })
    expect(await saved()).toEqual([])
  })

  it.each([
    ['Bash(ls', 'The closing bracket at the end is missing'],
    ['Bash(/^ls/)', 'regular expression'],
    ['Bash', 'has to say what Bash may do'],
  ])('says what is wrong with %s', async (pattern, why) => {
    const reply = await rules('add', '--allow', pattern, '--everywhere')
    expect(reply).toMatchObject({ code: EXIT.refused, stderr: expect.stringContaining(why) })
    expect(await saved()).toEqual([])
  })

  it('warns of a tool that no agent is known to have', async () => {
    const added = await rules('add', '--deny', 'WebSarch', '--everywhere')
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('Check the spelling') })
    expect((await rules('list')).stderr).toContain('Check the spelling')
  })

  it('tries a call: the parts, what each met, and the effect as exit code', async () => {
    for (const [effect, pattern] of Object.entries({ allow: 'Bash(ls *)', ask: 'Bash(rm *)', deny: 'Bash(sudo *)' }))
      await rules('add', `--${effect}`, pattern, '--everywhere')
    const tried = (...args: readonly string[]) => rules('test', ...args, '--cwd', project)
    expect(await tried('ls -l')).toMatchObject({ code: 0, stdout: expect.stringContaining('Verdict: allow.') })
    const asked = await tried('ls && rm x')
    expect(asked.code).toBe(10)
    expect(asked.stdout).toMatch(
      /^ {2}│ ls\n {4}allow: `Bash\(ls \*\)` allows it\. \(rule \w{6}\)\n {2}│ rm x\n {4}ask: .*\nVerdict: ask\. /,
    )
    expect(await tried('sudo ls')).toMatchObject({ code: 11, stdout: expect.stringContaining('Verdict: deny.') })
    expect(await tried('make')).toMatchObject({ code: 12, stdout: expect.stringContaining('No rule decides.') })
    const json = await tried('--tool', 'Edit', '--input', JSON.stringify({ file_path: file }), '--json')
    expect(json.code).toBe(10)
    expect((JSON.parse(json.stdout) as Verdict).reason).toContain('is guarded')
    for (const wrong of [[], ['ls', '--tool', 'Edit'], ['--tool', 'Edit', '--input', '[']])
      expect(await tried(...wrong)).toMatchObject({ code: EXIT.usage })
  })

  it('imports what Claude Code’s settings allow, says what it leaves out, and asks first', async () => {
    mkdirSync(join(project, '.claude'))
    const write = (name: string, permissions: object) =>
      writeFileSync(join(project, '.claude', name), JSON.stringify({ permissions }))
    write('settings.json', { allow: ['Bash(ls:*)', 'Bash'], deny: ['Read(./.env)'] })
    write('settings.local.json', { ask: ['Bash(git push:*)'] })
    const bring = (...flags: readonly string[]) => rules('import', '--project', project, ...flags)
    const tried = await bring('--dry-run')
    expect(tried.code).toBe(0)
    expect(tried.stdout).toContain('  allow Bash(ls *), in ')
    expect(tried.stdout).toContain('Left out:\n  allow Bash: ')
    expect(await bring()).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('--yes') })
    expect(await saved()).toEqual([])
    expect(await bring('--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('3 added.') })
    expect((await saved()).map(({ effect, pattern }) => `${effect} ${pattern}`)).toEqual([
      'allow Bash(ls *)',
      'deny Read(./.env)',
      'ask Bash(git push *)',
    ])
    expect(await bring('--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to add') })
    writeFileSync(join(project, 'broken.json'), '{')
    for (const path of ['broken.json', 'none.json'])
      expect(await rules('import', join(project, path))).toMatchObject({ code: EXIT.usage })
  })

  it('exports what it can import again, and permissions for Claude Code', async () => {
    await rules('add', '--deny', 'Bash(sudo *)', '--everywhere', '--why', 'No')
    await rules('add', '--allow', 'Bash(ls *)', '--everywhere')
    const exported = await rules('export')
    const path = join(project, 'rules.json')
    writeFileSync(path, exported.stdout)
    const before = await saved()
    for (const { id } of before) await rules('remove', id)
    expect(await rules('import', path, '--yes', '--json')).toMatchObject({ code: 0 })
    expect((await saved()).map(({ effect, pattern, why }) => ({ effect, pattern, why }))).toEqual(
      before.map(({ effect, pattern, why }) => ({ effect, pattern, why })),
    )
    const claude = await rules('export', '--format', 'claude-code')
    expect(JSON.parse(claude.stdout)).toEqual({ permissions: { allow: [], ask: [], deny: ['Bash(sudo *)'] } })
    expect(claude.stderr).toContain('Left out: allow Bash(ls *): ')
    expect(await rules('export', '--project', project)).toMatchObject({ code: EXIT.usage })
  })

  it('T71 shows what the policy file would allow, and confirms it with a yes', async () => {
    writeFile({ effect: 'allow', pattern: 'Bash(ls *)' }, { effect: 'deny', pattern: 'Bash(sudo *)' })
    const listed = await rules('list', '--project', project)
    expect(listed.stdout).toMatch(/deny +everywhere +file +all +- +Bash\(sudo \*\)\n/)
    expect(listed.stdout).toMatch(/allow +everywhere +waits +all +- +Bash\(ls \*\)\n/)
    expect((await gateway.command(['status'])).stdout).toContain(`Policy    1 change in ${file}`)
    const refused = await rules('confirm')
    expect(refused).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('allows from now on: allow') })
    expect((await rules('test', 'ls', '--cwd', project)).code).toBe(12)
    expect(await rules('confirm', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('Confirmed.') })
    expect((await rules('test', 'ls', '--cwd', project)).code).toBe(0)
    expect((await rules('confirm')).stderr).toContain('waits to be confirmed')
    const { rules: inFile } = (await gateway.api.ok<{ file: { rules: PolicyRule[] } }>('GET', '/api/policy')).file
    expect(await rules('remove', inFile[0]?.id ?? '')).toMatchObject({
      code: EXIT.refused,
      stderr: expect.stringContaining(file),
    })
    writeFileSync(file, 'broken')
    expect((await rules('list')).stderr).toContain('cannot be used')
    expect(await rules('confirm', '--yes')).toMatchObject({ code: EXIT.failure })
    expect((await gateway.command(['status'])).stdout).toContain('cannot be used: It is not valid JSON')
    expect((await rules('test', 'sudo ls', '--cwd', project)).code).toBe(11)
    writeFile()
    await rules('confirm', '--yes')
  })

  it('lists what a repository’s file asks for, and what is ignored in it', async () => {
    mkdirSync(join(project, '.holdpoint'))
    const own = join(project, '.holdpoint', 'policy.json')
    const written = [
      { effect: 'allow', pattern: 'Bash(make)' },
      { effect: 'ask', pattern: 'Bash(ls\u202e)' },
    ]
    writeFileSync(own, JSON.stringify({ rules: written }))
    const broken = await rules('list', '--project', project)
    expect(broken.stderr).toContain('Every call in this folder asks')
    expect(broken.stderr).not.toContain('\u202e')
    writeFileSync(own, JSON.stringify({ rules: [written[0], { effect: 'ask', pattern: 'Bash(ls)' }] }))
    const listed = await rules('list', '--project', project)
    expect(listed.stdout).toMatch(/ask +\S+ +repository +all +- +Bash\(ls\)\n/)
    expect(listed.stderr).toContain('Ignored, because a repository cannot allow anything: allow Bash(make)')
  })

  it('says that there is nothing to suggest while nothing was allowed', async () => {
    expect(await rules('suggest')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing to suggest'),
    })
  })

  it('start takes the policy file that it is given, and goes on without one that cannot be read', async () => {
    const path = join(project, 'own.json')
    await using other = await startBuiltGateway({ args: ['--policy', path] })
    const state = async () => (await other.api.ok<{ file: PolicyFileState }>('GET', '/api/policy')).file
    expect(await state()).toMatchObject({ path, error: 'There is no such file.' })
    expect(other.stderr()).toContain('policy_file_not_used')
    writeFileSync(path, JSON.stringify({ rules: [{ effect: 'deny', pattern: 'Bash(sudo *)' }] }), { mode: 0o600 })
    expect(await state()).toMatchObject({ rules: [{ effect: 'deny' }] })
  })
})
