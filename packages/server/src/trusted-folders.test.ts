import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTrustedFolders, type FolderTrust } from './trusted-folders.ts'

let root = ''
let count = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'hp-trust-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function put(folder: string, path: string, text: string) {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

const hook = (command: string) => ({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } })

/** A folder with a setting, a hook that names a file, and an MCP server. */
async function project(): Promise<string> {
  const folder = join(root, `project-${++count}`)
  await put(
    folder,
    '.claude/settings.json',
    JSON.stringify(hook('sh "$CLAUDE_PROJECT_DIR"/tools/start.sh >> hook.log')),
  )
  await put(folder, '.mcp.json', JSON.stringify({ mcpServers: { own: { command: 'node', args: ['server.js'] } } }))
  for (const path of ['tools/start.sh', 'server.js', '.claude/hooks/lint.sh', 'src/other.js'])
    await put(folder, path, '1')
  return folder
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
    await folders.trust(folder, { by: 'dev_1', at: 1 })
    await put(folder, 'src/other.js', '2')
    await put(folder, 'README.md', 'new')
    await put(folder, 'hook.log', 'written by the hook')
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

  it('a running session is told, and shown as not trusted', async () => {
    await using test = await startTestGateway()
    const folder = await project()
    const { session, agent } = await test.session({ cwd: folder, trust: true })
    expect(session.trusted).toBe(true)
    await put(folder, '.mcp.json', '{}')
    await agent.endTurn()
    const read = () => test.api.ok<Session>('GET', `/api/sessions/${session.id}`)
    await until(async () => !(await read()).trusted, 'the loss of trust')
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
