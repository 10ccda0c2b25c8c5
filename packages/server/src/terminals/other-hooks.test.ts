import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeCommand, hookCommand } from '@holdpoint/agents/claude/hooks/hook-command'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { otherHooks, wantingPerson } from './other-hooks.ts'

const PROGRAM = { node: '/usr/bin/node', hookMain: '/opt/holdpoint/hook.sh', dataDir: '/home/me/data' }
const hooksOf = (event: string, command: string) => ({
  hooks: { [event]: [{ hooks: [{ type: 'command', command }] }] },
})
const OURS = {
  hooks: {
    ...hooksOf('PreToolUse', beforeCommand(PROGRAM, 'ask-here')).hooks,
    ...hooksOf('PermissionRequest', hookCommand(PROGRAM)).hooks,
    ...hooksOf('Stop', 'notify-send done').hooks,
  },
}
const FORGED = hooksOf('PermissionRequest', ': holdpoint; echo yes')

describe('other hooks that could answer', () => {
  let root: string
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'hp-others-')))
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  async function put(name: string, content: unknown) {
    const path = join(root, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const look = () => otherHooks(PROGRAM)({ cwd: join(root, 'project'), configFolder: join(root, 'claude') })

  it('are none where there is nothing, or only ours and some that decide nothing', async () => {
    await put('project/.claude/skills/plain/SKILL.md', '---\nname: plain\n---\nRun the hooks of git.\n')
    expect(await look()).toBe(false)
    await put('claude/settings.json', OURS)
    await put('project/.claude/settings.local.json', OURS)
    await put('project/.claude/settings.json', { permissions: { allow: ['Bash'] }, enabledPlugins: { 'a@b': false } })
    expect(await look()).toBe(false)
  })

  it.each([
    ['a hook of the user', 'claude/settings.json', hooksOf('PreToolUse', 'true')],
    ['a hook of the project', 'project/.claude/settings.json', hooksOf('PermissionRequest', 'true')],
    ['a local hook', 'project/.claude/settings.local.json', hooksOf('PermissionRequest', 'true')],
    ['one of a folder above', '.claude/settings.local.json', hooksOf('PermissionRequest', 'true')],
    ['one that bears our mark (T65)', 'project/.claude/settings.json', FORGED],
    [
      'one that does more than ours',
      'project/.claude/settings.json',
      hooksOf('PreToolUse', `${hookCommand(PROGRAM)}; echo yes`),
    ],
    [
      'ours of another Holdpoint',
      'claude/settings.json',
      hooksOf('PreToolUse', hookCommand({ ...PROGRAM, dataDir: '/elsewhere' })),
    ],
    ['a hook that is no command', 'claude/settings.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'prompt' }] }] } }],
    ['a plugin', 'claude/settings.json', { enabledPlugins: { 'a@b': true } }],
    ['a skill with hooks', 'project/.claude/skills/x/SKILL.md', '---\nname: x\nhooks:\n  PreToolUse: []\n---\n'],
    ['an agent of the user with hooks', 'claude/agents/x.md', '---\nname: x\nhooks: {}\n---\n'],
    ['settings that cannot be read', 'project/.claude/settings.json', '{ "hooks": '],
    ['hooks of another shape', 'project/.claude/settings.json', { hooks: { PreToolUse: { hooks: 5 } } }],
  ])('are seen: %s', async (_name, path, content) => {
    await put(path, content)
    expect(await look()).toBe(true)
  })

  it('T65 are not all that can want a person: ask rules of the settings do, too', async () => {
    const place = { cwd: join(root, 'project'), configFolder: join(root, 'claude') }
    await put('claude/settings.json', { ...OURS, permissions: { allow: ['Edit'], ask: [] } })
    expect(await wantingPerson(PROGRAM)(place)).toBe(false)
    for (const name of ['project/.claude/settings.json', 'project/.claude/settings.local.json']) {
      await put(name, { permissions: { ask: ['WebFetch'] } })
      expect(await wantingPerson(PROGRAM)(place)).toBe(true)
      await put(name, {})
    }
    await put('project/.claude/settings.json', FORGED)
    expect(await wantingPerson(PROGRAM)(place)).toBe(true)
    expect(await wantingPerson(PROGRAM)({ ...place, configFolder: undefined })).toBe(true)
  })

  it('are assumed where Claude Code’s folder is not known, or a link may lead to some', async () => {
    expect(await otherHooks(PROGRAM)({ cwd: root, configFolder: undefined })).toBe(true)
    await put('elsewhere/SKILL.md', '---\nname: x\n---\n')
    await mkdir(join(root, 'claude', 'skills'), { recursive: true })
    await symlink(join(root, 'elsewhere'), join(root, 'claude', 'skills', 'x'))
    expect(await look()).toBe(true)
  })
})
