import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { FolderTrust } from '@holdpoint/schema/endpoints/folders'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTrustedFolders } from './trusted-folders.ts'

let root = ''
let count = 0
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'hp-trust-')))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function put(folder: string, path: string, text: string) {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

const hook = (command: string, args?: string[]) => ({
  hooks: { SessionStart: [{ hooks: [{ type: 'command', command, ...(args && { args }) }] }] },
})

/** A folder with a setting, a hook that names a file, and an MCP server. */
async function project(): Promise<string> {
  const folder = join(root, `project-${++count}`)
  await put(folder, '.claude/settings.json', JSON.stringify(hook('sh "$CLAUDE_PROJECT_DIR"/tools/start.sh')))
  await put(
    folder,
    '.mcp.json',
    JSON.stringify({ mcpServers: { own: { command: 'node', args: [`\${CLAUDE_PROJECT_DIR}/server.js`] } } }),
  )
  for (const path of ['tools/start.sh', 'server.js', '.claude/hooks/lint.sh', 'src/other.js'])
    await put(folder, path, '1')
  return folder
}

/** Seven folders with a link to each other: few files, and thousands of ways to them. */
async function multiplyingLinks(folder: string) {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  for (const name of names) {
    await put(folder, `.claude/skills/${name}/SKILL.md`, '1')
    for (const other of names) await symlink(`../${other}`, join(folder, '.claude/skills', name, other))
  }
}

it('T34 trusts a folder once a person said so, that folder only, until it is taken back', async () => {
  const folders = createTrustedFolders(createMemoryStore().records)
  const folder = await project()
  expect(await folders.isTrusted(folder)).toBe(false)
  await folders.trust(folder, { by: 'dev_1', at: 1 })
  expect(await folders.isTrusted(folder)).toBe(true)
  for (const other of [join(folder, 'src'), root, `${folder}/`])
    expect(await folders.isTrusted(other), other).toBe(false)
  await folders.distrust(folder)
  expect(await folders.isTrusted(folder)).toBe(false)
})

describe('T34 trust is bound to what was trusted', () => {
  it.each<[string, string, FolderTrust['files'][number]['change']]>([
    ['a setting', '.claude/settings.json', 'changed'],
    ['a local setting', '.claude/settings.local.json', 'new'],
    ['an MCP server', '.mcp.json', 'changed'],
    ['a script that a hook names', 'tools/start.sh', 'changed'],
    ['a program that an MCP server names', 'server.js', 'changed'],
    ['a file beside the hooks', '.claude/hooks/lint.sh', 'changed'],
    ['an agent with hooks of its own', '.claude/agents/evil.md', 'new'],
  ])('%s changes: it counts as untrusted until a person has seen it', async (_, path, change) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    expect((await folders.look(folder)).state).toBe('trusted')
    await put(folder, path, JSON.stringify(hook('touch evil; sh tools/start.sh; node server.js')))
    expect(await folders.isTrusted(folder)).toBe(false)
    const seen = await folders.look(folder)
    expect(seen).toMatchObject({ state: 'changed', reason: expect.stringContaining('changed since') })
    const entry = seen.files.find((file) => file.path === path)
    expect(entry).toMatchObject({ change, text: expect.stringContaining('touch evil') })
    expect(await folders.trust(folder, { by: 'dev_1', at: 2 }, seen.digest)).toBeUndefined()
    expect(await folders.isTrusted(folder)).toBe(true)
  })

  it.each<[string, string, string]>([
    ['a script without an ending', 'sh tools/hook', 'tools/hook'],
    ['a script behind cd', 'cd tools && ./hook.sh', 'tools/hook.sh'],
    ['the scripts of a package', 'npm run -s hook', 'package.json'],
    ['a makefile', 'make -s hook', 'Makefile'],
    ['a makefile that is taken first', 'make -s hook', 'GNUmakefile'],
    ['a script in a path with a variable', '"$CLAUDE_PROJECT_DIR/tools/hook"', 'tools/hook'],
  ])('a hook runs %s, and that changes', async (_, command, path) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, '.claude/settings.json', JSON.stringify(hook(command)))
    for (const name of ['tools/hook', 'tools/hook.sh', 'package.json', 'Makefile']) await put(folder, name, '1')
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await put(folder, path, 'evil')
    expect(await folders.isTrusted(folder)).toBe(false)
    const seen = await folders.look(folder)
    expect(seen.files).toContainEqual({ path, change: expect.stringMatching(/new|changed/), text: 'evil' })
    // In another folder that the agent has entered it is another file, and all but a script runs more than that.
    const isFixed = command.startsWith('"')
    expect(seen.unwatched).toEqual(
      isFixed ? undefined : [{ what: command, why: expect.stringContaining('more than a call of one script') }],
    )
  })

  it.each<[string, string, string[], string[]]>([
    ['a script', 'node', ['tools/hook.js'], ['node tools/hook.js']],
    ['a script with blanks in its path', 'node', ['tools/my hook.js'], ["node 'tools/my hook.js'"]],
    ['a program of the folder', './tools/hook.js', [], ['./tools/hook.js']],
    ['a script in a fixed place', 'node', [`\${CLAUDE_PROJECT_DIR}/tools/hook.js`], []],
    [
      'a place that no hook gets',
      'node',
      [`\${CLAUDE_PROJECT_DIR:-.}/tools/hook.js`],
      [`node \${CLAUDE_PROJECT_DIR:-.}/tools/hook.js`],
    ],
    ['a line for older agents', 'sh tools/old', ['x'], ["'sh tools/old' x", 'sh tools/old']],
  ])('a hook that no shell reads moves with the agent as others do: %s', async (_, command, args, unwatched) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, '.claude/settings.json', JSON.stringify(hook(command, args)))
    const files = ['tools/hook.js', 'tools/my hook.js', 'tools/old']
    for (const name of files) await put(folder, name, '1')
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    const seen = await folders.look(folder)
    expect(seen.unwatched?.map(({ what }) => what) ?? []).toEqual(unwatched)
    const named = files.filter((name) => [command, ...args].some((word) => word.includes(name)))
    for (const name of named) await put(folder, name, 'evil')
    const { files: now } = await folders.look(folder)
    expect(now.filter(({ change }) => change).map(({ path }) => path)).toEqual(named)
  })

  it('servers are named as they are written, none in place of another', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const args = [
      `\${CLAUDE_PROJECT_DIR}/one.js`,
      `\${CLAUDE_PROJECT_DIR:-.}/two.js`,
      `\${A}/three.js`,
      `\${B:-.}/four.js`,
    ]
    const servers = Object.fromEntries(args.map((arg, at) => [`s${at}`, { command: 'node', args: [arg] }]))
    // Named like the part of settings that runs nothing.
    const mcpServers = { ...servers, permissions: { command: './five.js' } }
    await put(folder, '.mcp.json', JSON.stringify({ mcpServers }))
    const files = ['one.js', 'two.js', 'three.js', 'four.js', 'five.js']
    for (const name of files) await put(folder, name, '1')
    const { unwatched, files: seen } = await folders.look(folder)
    const moving = [
      `node \${CLAUDE_PROJECT_DIR:-.}/two.js`,
      `node \${A}/three.js`,
      `node \${B:-.}/four.js`,
      './five.js',
    ]
    expect(unwatched?.map(({ what }) => what)).toEqual(moving)
    const watched = ['one.js', 'two.js', 'five.js']
    expect(seen.filter(({ path }) => files.includes(path)).map(({ path }) => path)).toEqual(watched.sort())
  })

  it.each<[string, object, string]>([
    ['a shell’s start file', { env: { BASH_ENV: './tools/env' } }, 'BASH_ENV=./tools/env'],
    ['a module of node', { env: { NODE_OPTIONS: '--require=./tools/env' } }, 'NODE_OPTIONS=--require=./tools/env'],
    ['a shell', { env: { CLAUDE_CODE_SHELL_PREFIX: './tools/env' } }, 'CLAUDE_CODE_SHELL_PREFIX=./tools/env'],
    ['a folder of the agent’s', { env: { CLAUDE_PROJECT_DIR: 'tools/env' } }, 'CLAUDE_PROJECT_DIR=tools/env'],
    ['a helper', { apiKeyHelper: 'sh tools/env' }, 'sh tools/env'],
    ['a status line', { statusLine: { type: 'command', command: '. tools/env' } }, '. tools/env'],
  ])('%s that settings name changes', async (_, settings, what) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, '.claude/settings.json', JSON.stringify(settings))
    await put(folder, 'tools/env', '1')
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await put(folder, 'tools/env', 'evil')
    const seen = await folders.look(folder)
    expect(seen.files).toContainEqual({ path: 'tools/env', change: 'changed', text: 'evil' })
    expect(seen.unwatched?.map((each) => each.what)).toEqual([what])
  })

  it.each([
    ['in single quotes', "sh '$CLAUDE_PROJECT_DIR/tools/hook'"],
    ['behind a backslash', 'sh \\$CLAUDE_PROJECT_DIR/tools/hook'],
    ['set in the line', 'CLAUDE_PROJECT_DIR=/tmp; sh $CLAUDE_PROJECT_DIR/tools/hook'],
    ['with blanks in its value', 'sh $CLAUDE_PROJECT_DIR/tools/hook'],
  ])(
    'a variable that stands for something else than the folder’s name is not read as that: %s',
    async (how, command) => {
      const folders = createTrustedFolders(createMemoryStore().records)
      const folder = await project()
      const odd = how.startsWith('with blanks') ? `${folder} two` : folder
      await put(odd, '.claude/settings.json', JSON.stringify(hook(command)))
      await put(odd, 'tools/hook', '1')
      expect((await folders.look(odd)).unwatched).toEqual([{ what: command, why: expect.any(String) }])
    },
  )

  it('a command in the text of a skill runs a script, and that changes', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const [inline, block] = ['sh tools/inline', 'sh tools/block\n']
    await put(folder, '.claude/skills/x/SKILL.md', `Now !\`${inline}\` and\n\`\`\`!\n${block}\`\`\`\n`)
    for (const path of ['tools/inline', 'tools/block']) {
      await put(folder, path, '1')
      await folders.trust(folder, { by: 'dev_1', at: 1 })
      await put(folder, path, 'evil')
      expect((await folders.look(folder)).files).toContainEqual({ path, change: 'changed', text: 'evil' })
    }
    expect((await folders.look(folder)).unwatched?.map(({ what }) => what)).toEqual([inline, block])
  })

  it('the user’s own skills, in a folder above, are no part of it; in the folder itself they are', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const home = await project()
    const folder = join(home, 'src')
    vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, '.claude'))
    try {
      for (const each of [home, folder]) await folders.trust(each, { by: 'dev_1', at: 1 })
      await put(home, '.claude/skills/x/SKILL.md', 'mine')
      expect([await folders.isTrusted(folder), await folders.isTrusted(home)]).toEqual([true, false])
      await put(home, '.claude/settings.local.json', '{}')
      expect(await folders.isTrusted(folder)).toBe(false)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it.each<[string, string, string[], string[], string[]]>([
    ['in a fixed place', '"$CLAUDE_PROJECT_DIR"/tools/hook.sh', ['tools/hook.sh'], ['tools'], []],
    ['in a fixed place, without an ending', 'sh "$CLAUDE_PROJECT_DIR"/bin/hook', ['bin/hook'], ['bin'], []],
    ['with a relative path', 'sh tools/hook.sh', ['tools/hook.sh'], ['tools'], ['hook.sh']],
    ['above', 'sh ../hook.sh', ['../hook.sh'], [], ['hook.sh']],
    ['in the folder itself', 'python3 hook.py', ['hook.py'], [], ['hook.py']],
    ['in package.json', 'npm run check', ['package.json'], [], ['package.json']],
  ])('a hook’s script is watched before it is there, with what may stand beside it: %s', async (...given) => {
    const [, command, paths, beside, names] = given
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await realpath(await project())
    await put(folder, '.claude/settings.json', JSON.stringify(hook(command)))
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    const watched = await folders.watchedFiles(folder)
    expect(watched).toMatchObject({ areUnchanged: true, folders: beside.map((name) => join(folder, name)), names })
    expect(watched.paths).toEqual(expect.arrayContaining(paths.map((name) => join(folder, name))))
  })

  it('a script that is missing is named as such', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const command = 'sh "$CLAUDE_PROJECT_DIR"/tools/hook.sh'
    await put(folder, '.claude/settings.json', JSON.stringify(hook(command)))
    const why = expect.stringContaining('does not exist yet')
    expect((await folders.look(folder)).unwatched).toEqual([{ what: command, why }])
    await put(folder, 'tools/hook.sh', 'true')
    expect((await folders.look(folder)).unwatched).toBeUndefined()
  })

  it('what runs files that cannot be told is named, with the reason', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const brings = { ...hook('for f in tools/*; do sh $f; done'), enabledPlugins: { 'lint@us': true, 'off@us': false } }
    await put(folder, '.claude/settings.json', JSON.stringify({ ...brings, permissions: { allow: ['Bash(npx:*)'] } }))
    const servers = { far: { command: 'npx', args: ['-y', 'far'] }, own: { command: 'node', args: ['server.js'] } }
    await put(folder, '.mcp.json', JSON.stringify({ mcpServers: servers }))
    await put(folder, '.claude/settings.local.json', '{ // hooks\n}')
    await put(folder, '.claude/agents/a.md', '---\nname: a\nhooks:\n  Stop: []\n---\n!`sh tools/start.sh $1`')
    const { unwatched, files } = await folders.look(folder)
    expect(Object.fromEntries((unwatched ?? []).map(({ what, why }) => [what, why]))).toEqual({
      'for f in tools/*; do sh $f; done': expect.stringContaining('more than a call of one script'),
      'lint@us': expect.stringContaining('plugin'),
      'npx -y far': expect.stringContaining('more than a call of one script'),
      'node server.js': expect.stringContaining('more than a call of one script'),
      'Bash(npx:*)': expect.stringContaining('without asking'),
      '.claude/settings.local.json': expect.stringContaining('JSON'),
      '.claude/agents/a.md': expect.stringContaining('hooks'),
      'sh tools/start.sh $1': expect.stringContaining('more than a call of one script'),
    })
    expect(files.map(({ path }) => path)).toContain('tools/start.sh')
  })

  it.each([
    ['an MCP server', '.mcp.json'],
    ['a local setting', '.claude/settings.local.json'],
    ['a skill', '.claude/skills/x/SKILL.md'],
    ['an agent', '.claude/agents/x.md'],
    ['a command', '.claude/commands/x.md'],
  ])('%s is put into a folder above it, or into the repository of its worktree', async (_, path) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = join(root, `project-${++count}/packages/one`)
    const elsewhere = join(root, `main-${count}`)
    await put(folder, 'a.txt', '1')
    await put(elsewhere, '.git/worktrees/one/commondir', '../..\n')
    await put(join(folder, '..'), '.git', `gitdir: ${elsewhere}/.git/worktrees/one\n`)
    // The last is all there is of a bare repository.
    for (const place of [join(folder, '..'), join(folder, '../../..'), elsewhere, join(elsewhere, '.git')]) {
      await folders.trust(folder, { by: 'dev_1', at: 1 })
      await put(place, path, '{}')
      expect(await folders.isTrusted(folder), place).toBe(false)
      expect((await folders.look(folder)).files).toContainEqual({ path: join(place, path), change: 'new', text: '{}' })
    }
  })

  it('a skill, command or agent that a link leads to changes, or a link leads elsewhere', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, 'shared/x/SKILL.md', 'one')
    await put(folder, 'shared/y/SKILL.md', 'one')
    await mkdir(join(folder, '.claude/skills'))
    const link = join(folder, '.claude/skills/x')
    await symlink('../../shared/x', link)
    await symlink('../skills', join(folder, '.claude/skills/again'))
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await put(folder, 'shared/x/SKILL.md', 'two')
    const change = { path: '.claude/skills/x/SKILL.md', change: 'changed', text: 'two' }
    expect((await folders.look(folder)).files).toContainEqual(change)
    await put(folder, 'shared/x/SKILL.md', 'one')
    expect(await folders.isTrusted(folder)).toBe(true)
    await rm(link)
    await symlink('../../shared/y', link)
    expect(await folders.isTrusted(folder)).toBe(false)
    await rm(link)
    await symlink('..', link)
    expect(await folders.isTrusted(folder)).toBe(false)
  })

  it.each<[string, (folder: string) => Promise<unknown>, string]>([
    ['more than can be looked at', multiplyingLinks, 'more than'],
    [
      'no regular file',
      (folder) => promisify(execFile)('mkfifo', [join(folder, '.claude/hooks/pipe')]),
      'not a regular',
    ],
    ['no text', (folder) => writeFile(join(folder, '.mcp.json'), Buffer.from([0xff, 0xfe])), 'not text'],
  ])('what acts in it is %s: it cannot be trusted, and the reason is said', async (_, spoil, reason) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await spoil(folder)
    expect(await folders.isTrusted(folder)).toBe(false)
    expect(await folders.look(folder)).toEqual({
      state: 'untrusted',
      reason: expect.stringContaining(reason),
      files: [],
    })
    expect(await folders.trust(folder, { by: 'dev_1', at: 2 })).toContain(reason)
  })

  it.each<[string, (folder: string) => Promise<unknown>]>([
    ['settings', (folder) => symlink('/proc/self/cwd/conf.json', join(folder, '.claude/settings.json'))],
    ['a server', (folder) => symlink('/proc/self/cwd/conf.json', join(folder, '.mcp.json'))],
    ['a folder of hooks', (folder) => symlink('/proc/self/cwd/hooks', join(folder, '.claude/hooks'))],
    ['a hook', (folder) => symlink('/proc/self/cwd/x', join(folder, '.claude/agents/x.md'))],
  ])('what acts in it is in another place for the agent: it cannot be trusted (%s)', async (_, link) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = join(root, `project-${++count}`)
    await mkdir(join(folder, '.claude/agents'), { recursive: true })
    expect((await folders.look(folder)).reason).toBeUndefined()
    await link(folder)
    expect((await folders.look(folder)).reason).toContain('a different place in each process')
    expect(await folders.trust(folder, { by: 'dev_1', at: 1 })).toContain('a different place in each process')
  })

  it('what a hook decides can come from elsewhere than from one script: it is named', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const lines = ['cat $CLAUDE_PROJECT_DIR/policy.json', 'ls $CLAUDE_PROJECT_DIR', 'echo hi']
    const commands = lines.map((command) => ({ type: 'command', command }))
    const odd = { type: 'command', command: '$CLAUDE_PROJECT_DIR/tools/start.sh', shell: 'other' }
    const hooks = [...commands, odd, { type: 'http', url: 'http://127.0.0.1:1' }]
    await put(folder, '.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }))
    const named = (await folders.look(folder)).unwatched?.map(({ what }) => what)
    expect(named?.sort()).toEqual([...lines, odd.command, '{"type":"http","url":"http://127.0.0.1:1"}'].sort())
  })

  it('a setting that is not known here is named, a folder whose skills are added, and what rules allow', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const permissions = { allow: ['Read(./a)', 'Bash(sh check.sh)'], additionalDirectories: ['../b'] }
    const settings = { processWrapper: './run', permissions, model: 'x' }
    await put(folder, '.claude/settings.json', JSON.stringify(settings))
    const named = (await folders.look(folder)).unwatched?.map(({ what }) => what)
    expect(named).toEqual(['processWrapper: "./run"', 'Bash(sh check.sh)', 'additionalDirectories: ["../b"]'])
  })

  it.each([
    '--- \nname: x\nhooks:\n  Stop: []\n---\n',
    '---\nname: x\n"\\x68ooks":\n  Stop: []\n---\n',
    '---\nhooks: {Stop: []}\nx: y ---\n',
  ])('hooks at the top of a skill are named, however they are written: %j', async (text) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, '.claude/skills/x/SKILL.md', `${text}\n\`\`\`!make lint\`\`\``)
    const named = (await folders.look(folder)).unwatched?.map(({ what }) => what)
    expect(named).toEqual(expect.arrayContaining(['.claude/skills/x/SKILL.md', 'make lint']))
  })

  it('a plugin lies among the skills, or comes from a marketplace: it is named', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const unwatched = async () => (await folders.look(folder)).unwatched?.map(({ what }) => what)
    expect(await unwatched()).toBeUndefined()
    await put(folder, '.claude/skills/x/.claude-plugin/plugin.json', '{"hooks":"./cfg/h.json"}')
    expect(await unwatched()).toEqual(['.claude/skills/x'])
    await mkdir(join(folder, '.claude/skills/y'), { recursive: true })
    await symlink('.', join(folder, '.claude/skills/y/.claude-plugin'))
    await put(folder, '.claude/settings.json', '{"extraKnownMarketplaces":{"here":{}}}')
    expect(await unwatched()).toEqual(expect.arrayContaining(['.claude/skills/y', 'here']))
  })

  it.each<[string, (folder: string) => Promise<unknown>]>([
    ['is too long', (folder) => put(folder, '.git', `gitdir: m/.git/worktrees/w${' '.repeat(70_000)}`)],
    ['leads elsewhere in each process', (folder) => put(folder, '.git', 'gitdir: /proc/self/cwd/m/.git/worktrees/w')],
    ['has a line break in its path', (folder) => put(folder, '.git', 'gitdir: m\nn/.git/worktrees/w')],
    ['is a link to itself', (folder) => symlink('.git', join(folder, '.git'))],
    ['is a broken link', (folder) => symlink('none', join(folder, '.git'))],
  ])('its .git %s: which repository it belongs to is not known, so it cannot be trusted', async (_, make) => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    expect((await folders.look(folder)).reason).toBeUndefined()
    await make(folder)
    expect((await folders.look(folder)).reason).toEqual(expect.any(String))
    expect(await folders.trust(folder, { by: 'dev_1', at: 1 })).toEqual(expect.any(String))
  })

  it('what a hook runs is a folder, or a link that leads elsewhere: it is named', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, 'guard.js/index.js', '1')
    await symlink('/usr/bin/env', join(folder, 'tool'))
    const lines = ['node $CLAUDE_PROJECT_DIR/guard.js', '$CLAUDE_PROJECT_DIR/tool make -s']
    const hooks = lines.map((command) => ({ type: 'command', command }))
    await put(folder, '.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }))
    expect((await folders.look(folder)).unwatched?.map(({ what }) => what)).toEqual(lines)
  })

  it('a variable of which it is not known that it decides nothing names a file, and that changes', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, '.claude/settings.json', JSON.stringify({ env: { OPENSSL_CONF: './o.cnf', LANG: 'C' } }))
    await put(folder, 'o.cnf', '1')
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    expect((await folders.look(folder)).unwatched?.map(({ what }) => what)).toEqual(['OPENSSL_CONF=./o.cnf'])
    await put(folder, 'o.cnf', '2')
    expect(await folders.isTrusted(folder)).toBe(false)
  })

  it.each([[0], [1]])(
    'two files have one name when it is read by its words, and one of them changes (%i)',
    async (first) => {
      const folders = createTrustedFolders(createMemoryStore().records)
      const folder = await project()
      await mkdir(join(folder, 'deep/er'), { recursive: true })
      await symlink('deep/er', join(folder, 'link'))
      const lines = ['sh $CLAUDE_PROJECT_DIR/x.sh', 'sh $CLAUDE_PROJECT_DIR/link/../x.sh']
      const hooks = [lines[first], lines[1 - first]].map((command) => ({ type: 'command', command }))
      await put(folder, '.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }))
      for (const path of ['x.sh', 'deep/x.sh']) await put(folder, path, path)
      for (const path of ['x.sh', 'deep/x.sh']) {
        await folders.trust(folder, { by: 'dev_1', at: 1 })
        await put(folder, path, 'evil')
        expect(await folders.isTrusted(folder), path).toBe(false)
      }
    },
  )

  it('what is shown of a file is what its hash stands for, while it changes all the time', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const path = join(folder, 'server.js')
    const digests = new Map<string, string>()
    for (const text of ['a', 'b']) {
      await writeFile(path, text)
      digests.set((await folders.look(folder)).digest ?? '', text)
    }
    let over = false
    const changing = (async () => {
      for (let at = 0; !over; at++) {
        await writeFile(`${path}.next`, at % 2 ? 'a' : 'b')
        await rename(`${path}.next`, path)
      }
    })()
    try {
      for (let round = 0; round < 40; round++) {
        const { digest, files } = await folders.look(folder)
        expect(files.find((file) => file.path === 'server.js')?.text).toBe(digests.get(digest ?? ''))
      }
    } finally {
      over = true
      await changing
    }
  })

  it('a file is removed, or a link leads elsewhere', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await rm(join(folder, '.mcp.json'))
    expect((await folders.look(folder)).files).toContainEqual({ path: '.mcp.json', change: 'removed' })
    await put(root, 'same.sh', '1')
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await rm(join(folder, 'tools/start.sh'))
    await symlink(join(root, 'same.sh'), join(folder, 'tools/start.sh'))
    expect(await folders.isTrusted(folder)).toBe(false)
  })

  it('nothing of that kind changes: it stays trusted', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    await put(folder, '.claude/settings.json', JSON.stringify(hook('sh tools/start.sh >> hook.log')))
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await put(folder, 'src/other.js', '2')
    await put(folder, 'README.md', 'new')
    await put(folder, 'hook.log', 'written by the hook')
    expect(await folders.isTrusted(folder)).toBe(true)
    await put(folder, '.claude/settings.json', JSON.stringify(hook('touch mark.txt')))
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await put(folder, 'mark.txt', '')
    expect(await folders.isTrusted(folder)).toBe(true)
  })

  it('another change than the one that was shown is not trusted', async () => {
    const folders = createTrustedFolders(createMemoryStore().records)
    const folder = await project()
    const { digest } = await folders.look(folder)
    await put(folder, 'server.js', 'evil')
    expect(await folders.trust(folder, { by: 'dev_1', at: 1 }, digest)).toContain('changed since they were shown')
    expect(await folders.isTrusted(folder)).toBe(false)
  })

  it('a record of an earlier version, which did not say what was trusted, wants another look', async () => {
    const { records } = createMemoryStore()
    const folder = await project()
    await records.put('trusted-folders', folder, { by: 'dev_1', at: 1 })
    const folders = createTrustedFolders(records)
    expect(await folders.isTrusted(folder)).toBe(false)
    expect(await folders.look(folder)).toMatchObject({ state: 'changed', reason: expect.stringContaining('once more') })
  })

  it('a running agent is started again without it, and the session says why', async () => {
    await using test = await startTestGateway()
    const folder = await project()
    const { session, agent } = await test.session({ cwd: folder, trust: true })
    expect(session.trusted).toBe(true)
    await put(folder, '.mcp.json', '{}')
    await agent.endTurn()
    const read = () => test.api.ok<Session>('GET', `/api/sessions/${session.id}`)
    const isBack = ({ epoch, state, trusted }: Session) => epoch > 1 && state === 'user_turn' && !trusted
    await until(async () => isBack(await read()), 'the agent without trust')
    const { items } = await test.api.ok<{ items: Item[] }>('GET', `/api/sessions/${session.id}/items`)
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringContaining('.mcp.json (changed)') }),
    )
    const { trust } = await test.api.ok<{ trust: FolderTrust }>('GET', `/api/folders?path=${folder}`)
    expect(trust).toMatchObject({ state: 'changed', digest: expect.any(String) })
    const stale = await test.api.call('POST', `/api/sessions/${session.id}/trust?digest=${'0'.repeat(64)}`)
    expect([stale.status, (await read()).trusted]).toEqual([409, false])
    await test.api.ok('POST', `/api/sessions/${session.id}/trust?digest=${trust.digest}`)
    expect((await test.session({ cwd: folder })).agent.start.trusted).toBe(true)
  })
})

it('T34 starts an agent without trust unless the call, or an earlier one, gave it', async () => {
  await using test = await startTestGateway()
  const first = await test.session()
  expect([first.session.trusted, first.agent.start.trusted]).toEqual([false, false])
  const trusted = await test.api.ok<Session>('POST', `/api/sessions/${first.session.id}/trust`)
  expect(trusted.trusted).toBe(true)
  expect((await test.session()).agent.start.trusted).toBe(true)
  await test.api.ok('DELETE', `/api/sessions/${first.session.id}/trust`)
  expect((await test.session()).agent.start.trusted).toBe(false)
  expect((await test.session({ trust: true })).agent.start.trusted).toBe(true)
})

it('T34 a message after a change goes to the agent without trust, and not to the one before it', async () => {
  await using test = await startTestGateway()
  const folder = await project()
  const { session, agent } = await test.session({ cwd: folder, trust: true })
  const before = agent.messages.length
  await put(folder, '.mcp.json', '{}')
  await test.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'go on' })
  const next = await until(() => {
    const now = test.synthetic.agents.get(session.id)
    return now !== agent && now?.messages.some(({ text }) => text === 'go on') ? now : undefined
  }, 'the message')
  expect([next.start.trusted, agent.messages.length]).toEqual([false, before])
})

it('T34 starts every agent of a folder again, without its settings, when a person stops trusting it', async () => {
  await using test = await startTestGateway()
  const one = await test.session({ trust: true })
  const other = await test.session()
  expect([one.agent.start.trusted, other.agent.start.trusted]).toEqual([true, true])
  const reply = await test.api.ok<Session>('DELETE', `/api/sessions/${one.session.id}/trust`)
  expect(reply).toMatchObject({ trusted: false, epoch: 2 })
  const read = await test.api.ok<Session>('GET', `/api/sessions/${other.session.id}`)
  expect(read).toMatchObject({ trusted: false, epoch: 2 })
})
