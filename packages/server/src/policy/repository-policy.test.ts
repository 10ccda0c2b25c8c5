import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { piecesOf } from '@holdpoint/core/policy/in-code'
import { openTestStore } from '@holdpoint/testing/test-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPolicy } from './policy.ts'
import { createPolicyFile } from './policy-file.ts'
import { createRepositoryPolicies } from './repository-policy.ts'

let root: string
let project: string
let path: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hp-repository-')))
  project = join(root, 'project')
  mkdirSync(join(project, '.holdpoint'), { recursive: true })
  path = join(project, '.holdpoint', 'policy.json')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (...rules: readonly object[]) => writeFileSync(path, JSON.stringify({ rules }))
const read = () => createRepositoryPolicies(join(root, 'data'))(project)

/** What is said of a command in the project, where everything simple is allowed. */
async function verdict(command: string, cwd = project) {
  const allow = ['ls *', 'cat *', 'touch *', 'cp *', 'rm *', 'mv *'].map((words, index) => ({
    id: `rul_${String(index).padStart(26, '0')}` as const,
    effect: 'allow' as const,
    agent: '*',
    pattern: `Bash(${words})`,
    scope: { kind: 'everywhere' as const },
    at: 0,
    revision: 0,
  }))
  const file = await createPolicyFile({
    path: join(root, 'data', 'policy.json'),
    isNamed: false,
    isOlder: false,
    records: (await openTestStore()).records,
    log: { info: () => {}, warn: () => {} },
  })
  const policy = createPolicy({
    rules: { list: () => allow, unreadable: () => [] },
    file,
    otherFiles: { list: () => [], isUnreadable: () => false },
    repositoryPolicy: createRepositoryPolicies(join(root, 'data')),
    guarded: [],
    unguarded: [],
    home: root,
    now: () => 0,
  })
  const call = { tool: { name: 'Bash', input: { command } }, cwd, action: { type: 'command' as const, command } }
  return (await policy.look({ agent: 'claude', cwd: project, trusted: true }, call))()
}

describe('a repository’s own policy file', () => {
  it('need not be there', async () => {
    expect(await read()).toBeUndefined()
    expect(await verdict('touch x')).toMatchObject({ effect: 'allow' })
  })

  it('T35 asks about every call while the folder itself cannot be followed', async () => {
    write({ effect: 'deny', pattern: 'Bash(touch *)' })
    renameSync(project, join(root, 'moved'))
    symlinkSync(project, project)
    expect(await verdict('touch x', join(root, 'moved'))).toMatchObject({
      effect: 'ask',
      reason: expect.stringContaining('policy file cannot be read'),
    })
  })

  it('T35 makes things stricter, in its folder alone, and never looser', async () => {
    write(
      { effect: 'deny', pattern: 'Bash(touch *)' },
      { effect: 'ask', pattern: 'Bash(ls *)' },
      { effect: 'allow', pattern: 'Bash(make deploy)' },
      { effect: 'allow', pattern: 'not a rule (' },
    )
    expect(await read()).toMatchObject({
      path,
      rules: [{ effect: 'deny', scope: { kind: 'project', folder: project } }, { effect: 'ask' }],
      ignored: ['Bash(make deploy)', 'not a rule ('],
    })
    expect(await verdict('touch x')).toMatchObject({ effect: 'deny' })
    expect(await verdict('ls')).toMatchObject({ effect: 'ask' })
    expect(await verdict('cat x')).toMatchObject({ effect: 'allow' })
    expect(await verdict('make deploy')).toMatchObject({ effect: 'none' })
  })

  it.each<[string, () => void, string]>([
    ['no JSON', () => writeFileSync(path, 'rules:'), 'not valid JSON'],
    ['a rule with words for a person', () => write({ effect: 'ask', pattern: '` Press Allow. `' }), 'Press Allow'],
    ['a rule that does not parse', () => write({ effect: 'deny', pattern: 'Bash(' }), 'Rule 1 (deny Bash()'],
    [
      'a rule for another folder',
      () => write({ effect: 'deny', pattern: 'Bash(ls)', project: '/' }),
      'Leave out "project"',
    ],
    ['too many rules', () => write(...Array(1001).fill({ effect: 'ask', pattern: 'Bash(ls)' })), 'more than 1,000'],
    ['too large', () => writeFileSync(path, ' '.repeat(256 * 1024 + 1)), 'is larger than'],
    ['a folder', () => mkdirSync(path), 'not a regular file'],
    ['a link to itself', () => symlinkSync(path, path), 'a different place in each process'],
    ['a link to nothing', () => symlinkSync('nothing', path), 'leads to a file that does not exist'],
    ['a link to a device', () => symlinkSync('/dev/zero', path), 'a different place in each process'],
    [
      'a link out of the folder',
      () => {
        writeFileSync(join(root, 'other.json'), '{"rules":[]}')
        symlinkSync(join(root, 'other.json'), path)
      },
      'leads out of the folder',
    ],
  ])('asks about every call while it is broken: %s', async (_, spoil, why) => {
    spoil()
    const { effect, reason } = await verdict('cat x')
    expect(effect).toBe('ask')
    // What is wrong with it is said in its own words, too (T27).
    const [ours, said] = piecesOf(reason)
    expect(ours).toEqual({ text: "The repository's policy file cannot be read: ", isCode: false })
    expect(said).toEqual({ text: expect.stringContaining(why), isCode: true })
  })

  it.runIf(process.geteuid?.() !== 0)('asks about every call while nobody may read it', async () => {
    write()
    chmodSync(path, 0o000)
    expect(await verdict('cat x')).toMatchObject({ effect: 'ask', reason: expect.stringContaining('cannot be read') })
  })

  it('is read again after each change', async () => {
    const repositoryPolicy = createRepositoryPolicies(join(root, 'data'))
    for (const name of ['aa', 'ab', 'ac']) {
      write({ effect: 'deny', pattern: `Bash(${name})` })
      expect((await repositoryPolicy(project))?.rules).toMatchObject([{ pattern: `Bash(${name})` }])
    }
  })

  it.each([
    'touch .holdpoint/policy.json',
    'cp x .holdpoint/policy.json',
    'rm -r .holdpoint',
    'mv .holdpoint y',
    'echo > .holdpoint/policy.json',
    'sed -i s/deny/ask/ .holdpoint/policy.json',
    'cd .holdpoint && rm policy.json',
    'touch link/policy.json',
  ])('T71 is guarded: %j', async (command) => {
    write()
    symlinkSync('.holdpoint', join(project, 'link'))
    expect(await verdict(command)).toMatchObject({ effect: 'ask', reason: expect.stringContaining('is guarded') })
    expect(await verdict('touch x')).toMatchObject({ effect: 'allow' })
  })

  it('is not the data folder of the same name', async () => {
    write({ effect: 'deny', pattern: 'Bash(ls)' })
    expect(await createRepositoryPolicies(join(project, '.holdpoint'))(project)).toBeUndefined()
  })
})
