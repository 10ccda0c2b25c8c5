import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import { projectFolderName } from '@holdpoint/agents/claude/transcript/project-folder'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

interface Folders {
  path?: string
  exists: boolean
  trusted: boolean
  recent: { path: string; trusted: boolean; lastUsedAt: number }[]
}

async function someFolder() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-folders-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const look = (test: TestGateway, path?: string) =>
  test.api.ok<Folders>('GET', `/api/folders${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`)

it('says where a typed folder really is, and whether it is trusted', async () => {
  await using test = await startTestGateway()
  const folder = await someFolder()
  const link = join(folder, 'link')
  const target = join(folder, 'target')
  await mkdir(target)
  await symlink(target, link)
  await writeFile(join(folder, 'file'), '')
  expect(await look(test, link)).toEqual({
    path: target,
    exists: true,
    trusted: false,
    trust: { state: 'untrusted', digest: expect.any(String), files: [] },
    recent: [],
  })
  await test.session({ cwd: target, trust: true })
  expect(await look(test, link)).toMatchObject({ path: target, exists: true, trusted: true })
  expect(await look(test, `${folder}/./target/../target/`)).toMatchObject({ path: target })
  for (const path of [
    join(folder, 'nothing'),
    join(folder, 'file'),
    'target',
    './target',
    '',
    '\0',
    `${target}\0`,
    '~nobody',
  ])
    expect(await look(test, path), JSON.stringify(path)).toMatchObject({ exists: false, trusted: false })
  expect(await look(test)).toMatchObject({ exists: false })
})

it('reads ~ as the home folder', async () => {
  await using test = await startTestGateway()
  const home = await realpath(homedir())
  expect(await look(test, '~')).toMatchObject({ path: home, exists: true })
  expect(await look(test, '~/')).toMatchObject({ path: home, exists: true })
  expect(await look(test, '~/no-such-folder-here')).toMatchObject({ exists: false })
})

it('lists the folders of sessions, each once, newest first, without those that are gone and without our own', async () => {
  await using test = await startTestGateway()
  const folder = await someFolder()
  const paths = Array.from({ length: 15 }, (_, index) => join(folder, `project ${index}`))
  for (const path of paths) await mkdir(path)
  const scratch = join(test.dataDir, 'demo/scratch/1')
  await mkdir(scratch, { recursive: true })
  for (const cwd of [...paths, scratch, paths[3]]) await test.session({ cwd, ...(cwd === paths[9] && { trust: true }) })
  await rm(paths[14] ?? '', { recursive: true })
  const { recent } = await look(test)
  expect(recent.length).toBe(12)
  expect(new Set(recent.map(({ path }) => path)).size).toBe(12)
  const times = recent.map(({ lastUsedAt }) => lastUsedAt)
  expect(times).toEqual([...times].sort((one, other) => other - one))
  const listed = recent.map(({ path }) => path)
  expect(listed).toContain(paths[3])
  expect(listed).not.toContain(paths[14])
  expect(listed.filter((path) => path.startsWith(test.dataDir))).toEqual([])
  expect(recent.filter(({ trusted }) => trusted).map(({ path }) => path)).toEqual([paths[9]])
})

it('lists the folders of past Claude Code conversations too, each once, where it may look at those', async () => {
  const folder = await someFolder()
  const [fresh = '', both = '', gone = ''] = ['fresh', 'both', 'gone'].map((name) => join(folder, name))
  for (const path of [fresh, both]) await mkdir(path)
  const projects = join(folder, 'projects')
  for (const cwd of [fresh, both, gone]) {
    const text = `${JSON.stringify({ type: 'user', cwd, message: { content: 'hi' } })}\n`
    await mkdir(join(projects, projectFolderName(cwd)), { recursive: true })
    await writeFile(join(projects, projectFolderName(cwd), 'one.jsonl'), text)
  }
  const store = createMemoryStore()
  const attached = createAttachedAgents({ records: store.records, clock: systemClock, warn: () => {} })
  await using test = await startTestGateway({ store, terminals: { attached, projects } })
  expect((await look(test)).recent.map(({ path }) => path).sort()).toEqual([both, fresh])
  await test.session({ cwd: both })
  expect((await look(test)).recent.map(({ path }) => path)).toEqual([both, fresh])
  // Of one folder it is said how that stands, and nothing of others.
  expect(await look(test, fresh)).toMatchObject({ exists: true, recent: [] })
})

it('[I8] completes a path for owners of the whole gateway alone', async () => {
  await using test = await startTestGateway()
  const folder = await someFolder()
  await mkdir(join(folder, 'shop'))
  const path = `/api/folders/like?path=${encodeURIComponent(`${folder}/s`)}`
  expect(await test.api.ok('GET', path)).toEqual({ folders: [join(folder, 'shop')], more: false })
  const { session } = await test.session()
  for (const grant of [
    { role: 'approver' },
    { role: 'viewer' },
    { role: 'owner', sessionIds: [session.id] },
  ] as const) {
    const { api } = await test.credential(grant)
    expect((await api.call('GET', path)).status).toBe(403)
  }
  expect((await test.api.call('GET', '/api/folders/like')).status).toBe(422)
  expect((await test.api.call('GET', `/api/folders/like?path=${'a'.repeat(4097)}`)).status).toBe(422)
})

interface Trusted {
  folders: { path: string; trustedAt: number; trusted: boolean; reason?: string; by?: string }[]
}
const listTrusted = async (test: TestGateway) => (await test.api.ok<Trusted>('GET', '/api/folders/trusted')).folders

it('lists every folder that somebody trusted, with who did, and why one does not count any more', async () => {
  await using test = await startTestGateway()
  const folder = await someFolder()
  const [same = '', changed = '', gone = ''] = ['same', 'changed', 'gone'].map((name) => join(folder, name))
  const phone = await test.credential({ role: 'owner' })
  for (const cwd of [same, changed, gone]) {
    await mkdir(join(cwd, '.claude'), { recursive: true })
    await writeFile(join(cwd, '.claude/settings.json'), '{}')
    await phone.api.ok('POST', '/api/sessions', { agent: 'synthetic', cwd, trust: true })
  }
  await writeFile(join(changed, '.claude/settings.json'), '{"model":"other"}')
  await rm(gone, { recursive: true })
  const listed = await listTrusted(test)
  expect(Object.fromEntries(listed.map(({ path, ...rest }) => [path, rest]))).toEqual({
    [same]: { trusted: true, trustedAt: expect.any(Number), by: 'owner for tests' },
    [changed]: {
      trusted: false,
      trustedAt: expect.any(Number),
      by: 'owner for tests',
      reason: expect.stringContaining('changed'),
    },
    [gone]: { trusted: false, trustedAt: expect.any(Number), by: 'owner for tests', reason: expect.any(String) },
  })
})

it('T34 stops trusting a folder without a session in it, and one whose agents run: they start again without it', async () => {
  await using test = await startTestGateway()
  const folder = await someFolder()
  const { session } = await test.session({ cwd: folder, trust: true })
  expect(session).toMatchObject({ trusted: true, epoch: 1 })
  const other = join(folder, 'other')
  await mkdir(other)
  const ended = await test.session({ cwd: other, trust: true })
  await test.api.ok('DELETE', `/api/sessions/${ended.session.id}`)
  for (const path of [folder, other]) {
    await test.api.ok('DELETE', `/api/folders/trusted?path=${encodeURIComponent(path)}`)
    expect((await test.api.call('DELETE', `/api/folders/trusted?path=${encodeURIComponent(path)}`)).status).toBe(404)
  }
  expect(await listTrusted(test)).toEqual([])
  expect(await test.api.ok('GET', `/api/sessions/${session.id}`)).toMatchObject({ trusted: false, epoch: 2 })
  expect(await look(test, other)).toMatchObject({ trusted: false })
})
