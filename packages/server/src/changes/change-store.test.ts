import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SessionId } from '@holdpoint/schema/id'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CHANGE_LIMITS, type ChangeLimits, type ChangeStore, createChangeStore } from './change-store.ts'

const ID = 'ses_1' as SessionId
const OTHER = 'ses_2' as SessionId

let base: string
let root: string
let store: ChangeStore
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'changes-')))
  root = join(base, 'project')
  await write('kept.txt', 'one\n')
  await write('src/a.ts', 'a\nb\nc\n')
  await write('gone.txt', 'gone\n')
  store = open()
})
afterEach(async () => {
  await store.close()
  await rm(base, { recursive: true, force: true })
})

function open(limits: Partial<ChangeLimits> = {}, home = join(base, 'home')) {
  const leftOut = [join(base, 'data'), join(root, 'guarded')]
  const folder = join(base, 'data/changes')
  return createChangeStore({
    folder,
    leftOut,
    leftIn: [],
    home,
    limits: { ...CHANGE_LIMITS, ...limits },
    waitMs: 60_000,
  })
}

async function write(path: string, text: string | Buffer) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

const begin = (id = ID, isLate = false) => store.begin(id, { folder: root, isLate })

/** Status, lines and name of each file that a list names. */
async function listed(since: 'start' | 'message' = 'start', id = ID) {
  const list = await store.list(id, since)
  return list?.files.map(({ path, status, added, removed, why, executable }) =>
    [status, path, added !== undefined && `+${added} -${removed}`, why, executable !== undefined && `x ${executable}`]
      .filter(Boolean)
      .join(' '),
  )
}

const diff = async (path: string, since: 'start' | 'message' = 'start', id = ID) =>
  (await store.file(id, since, path))?.diff

it.each(['.', 'you', 'you/deeper'])('T53 watches no folder that is the home folder or holds it: %s', async (home) => {
  await mkdir(join(root, home), { recursive: true })
  await store.close()
  store = open({}, join(root, home))
  await begin()
  await write('.credentials.json', 'secret')
  expect(await listed()).toBeUndefined()
  await store.begin('ses_below' as SessionId, { folder: join(root, 'src'), isLate: false })
  expect(await listed('start', 'ses_below' as SessionId)).toEqual([])
})

it('tells new, changed and deleted files, whoever changed them, with the lines', async () => {
  await begin()
  expect(await listed()).toEqual([])
  await write('src/a.ts', 'a\nB\nc\n')
  await write('src/new.ts', 'x\ny\n')
  await rm(join(root, 'gone.txt'))
  expect(await listed()).toEqual(['deleted gone.txt +0 -1', 'changed src/a.ts +1 -1', 'added src/new.ts +2 -0'])
  expect(await diff('src/a.ts')).toBe('--- src/a.ts\n+++ src/a.ts\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n')
  expect(await diff('src/new.ts')).toBe('--- /dev/null\n+++ src/new.ts\n@@ -0,0 +1,2 @@\n+x\n+y\n')
  expect(await diff('gone.txt')).toBe('--- gone.txt\n+++ gone.txt\n@@ -1,1 +0,0 @@\n-gone\n')
  expect(await diff('kept.txt')).toBeUndefined()
})

it('compares with the last message as well as with the start', async () => {
  await begin()
  await store.mark(ID)
  await write('src/a.ts', 'a\nB\nc\n')
  await write('new.txt', 'new\n')
  await store.mark(ID)
  expect(await listed('message')).toEqual([])
  await write('src/a.ts', 'a\nB\nC\n')
  await rm(join(root, 'gone.txt'))
  expect(await listed('message')).toEqual(['deleted gone.txt +0 -1', 'changed src/a.ts +1 -1'])
  expect(await diff('src/a.ts', 'message')).toContain('-c\n+C')
  expect(await listed()).toEqual(['deleted gone.txt +0 -1', 'added new.txt +1 -0', 'changed src/a.ts +2 -2'])
})

it('looks into what was only touched, and into what was changed without a trace in size and time', async () => {
  await write('forged.txt', 'one\n')
  await begin()
  await utimes(join(root, 'kept.txt'), 1, 1)
  const { atime, mtime } = statSync(join(root, 'forged.txt'))
  await write('forged.txt', 'two\n')
  await utimes(join(root, 'forged.txt'), atime, mtime)
  expect(await listed()).toEqual(['changed forged.txt +1 -1'])
})

it('tells a file that can be run now, and a link by where it leads', async () => {
  await symlink('kept.txt', join(root, 'link'))
  await begin()
  await chmod(join(root, 'kept.txt'), 0o755)
  await rm(join(root, 'link'))
  await symlink('/etc/passwd', join(root, 'link'))
  expect(await listed()).toEqual(['changed kept.txt +0 -0 x true', 'changed link +1 -1'])
  expect(await diff('link')).toContain('-kept.txt')
  expect(await diff('link')).toContain('+/etc/passwd')
})

it('says where it cannot compare line by line: binary, large, not kept', async () => {
  await store.close()
  store = open({ fileBytes: 1000, folderBytes: 700 })
  await write('binary', Buffer.from([1, 0, 2]))
  await write('latin1.txt', Buffer.from([0xe4, 10]))
  await write('large.txt', 'x'.repeat(1001))
  await write('b.txt', 'b'.repeat(400))
  await utimes(join(root, 'b.txt'), 2, 2)
  await write('c.txt', 'c'.repeat(600))
  await utimes(join(root, 'c.txt'), 1, 1)
  await begin()
  await write('binary', Buffer.from([1, 0, 3]))
  await write('latin1.txt', Buffer.from([0xe5, 10]))
  await write('large.txt', 'y'.repeat(1001))
  await write('b.txt', 'changed\n')
  await write('c.txt', 'changed\n')
  expect(await listed()).toEqual([
    'changed b.txt +1 -1',
    'changed binary binary',
    'changed c.txt not-kept',
    'changed large.txt large',
    'changed latin1.txt binary',
  ])
  expect((await store.list(ID, 'start'))?.remarks).toEqual(['There was no room to keep the earlier content of 1 file.'])
  expect(await store.file(ID, 'start', 'large.txt')).toEqual({
    file: { path: 'large.txt', status: 'changed', kind: 'file', why: 'large' },
  })
})

it('[I10] stops at its limits, and says so', async () => {
  await store.close()
  store = open({ files: 3, listed: 2 })
  await write('deep/er/d.txt', 'd')
  await begin()
  for (const name of ['kept.txt', 'gone.txt', 'new1', 'new2', 'new3']) await write(name, 'x\n')
  await write('deep/er/e.txt', 'not known to be new')
  const list = await store.list(ID, 'start')
  expect(list?.files).toHaveLength(2)
  expect(list?.more).toBe(3)
  expect(list?.remarks).toEqual(['Not all files were looked at. Left out, in part or whole: deep/er.'])
})

it('[T53] reads nothing outside of the folder, nothing that is guarded or left out, and waits for no pipe', async () => {
  await writeFile(join(base, 'secret'), 'secret\n')
  await write('.gitignore', '.env\n')
  await write('.env', 'KEY=1\n')
  await write('guarded/policy', 'guarded\n')
  await begin()
  await write('.env', 'KEY=2\n')
  await write('guarded/policy', 'guarded still\n')
  execFileSync('mkfifo', [join(root, 'pipe')])
  await symlink(base, join(root, 'out'))
  await rename(join(root, 'kept.txt'), join(root, 'was-kept.txt'))
  execFileSync('mkfifo', [join(root, 'kept.txt')])
  expect(await listed()).toEqual(['deleted kept.txt +0 -1', 'added out +1 -0', 'added was-kept.txt +1 -0'])
  for (const path of ['.env', 'guarded/policy', 'pipe', 'out/secret', '../secret', '../project/was-kept.txt', ''])
    expect(await store.file(ID, 'start', path)).toBeUndefined()
  expect(readKept()).not.toMatch(/secret\n|KEY|guarded/)
})

it('goes on looking at a file that the session has had git ignore', async () => {
  await begin()
  await write('.gitignore', 'src\n')
  await write('src/a.ts', 'hidden\n')
  expect(await listed()).toEqual(['added .gitignore +1 -0', 'changed src/a.ts +1 -3'])
})

it('keeps at the end what was changed, with what it was, and nothing else', async () => {
  await write('secret.txt', 'a secret that nobody changed\n')
  await begin()
  await write('src/a.ts', 'a\nB\nc\n')
  await store.end(ID)
  await write('src/a.ts', 'later\n')
  await write('later.txt', 'later\n')
  expect(await listed()).toEqual(['changed src/a.ts +1 -1'])
  expect(await diff('src/a.ts')).toContain('-b\n+B')
  expect(await diff('later.txt')).toBeUndefined()
  expect((await store.list(ID, 'start'))?.endedAt).toBeTypeOf('number')
  expect(readKept()).not.toContain('secret')
})

it('goes on after a resumption with what the life before had changed', async () => {
  await begin()
  await write('src/a.ts', 'a\nB\nc\n')
  await write('new.txt', 'new\n')
  await store.end(ID)
  await write('between.txt', 'by somebody else\n')
  await begin()
  await write('gone.txt', 'two\n')
  expect(await listed()).toEqual(['changed gone.txt +1 -1', 'added new.txt +1 -0', 'changed src/a.ts +1 -1'])
})

it('forgets a session with all of its contents, and keeps those that others need', async () => {
  await write('only-first.txt', 'only the first\n')
  await begin()
  await rm(join(root, 'only-first.txt'))
  await begin(OTHER)
  await write('src/a.ts', 'a\nB\nc\n')
  await store.remove(ID)
  expect(await store.list(ID, 'start')).toBeUndefined()
  expect(readKept()).not.toContain('only the first')
  expect(await diff('src/a.ts', 'start', OTHER)).toContain('-b\n+B')
  await store.remove(OTHER)
  expect(readdirSync(join(base, 'data/changes/sessions'))).toEqual([])
  expect(readdirSync(join(base, 'data/changes/contents'))).toEqual([])
})

it('forgets the contents of a session on the second try where the first was cut off', async () => {
  await write('kept.txt', 'only the first\n')
  await begin()
  await write('kept.txt', 'another\n')
  await store.end(ID)
  const contents = join(base, 'data/changes/contents')
  const [key = ''] = readdirSync(contents)
  await begin(OTHER)
  // Nothing can be put in its place: what is there to be dropped stays.
  await mkdir(join(contents, key, 'contents.next'))
  await expect(store.remove(ID)).rejects.toThrow()
  await store.close()
  await rm(join(contents, key, 'contents.next'), { recursive: true })
  store = open()
  await store.remove(ID)
  expect(readKept()).not.toContain('only the first')
  expect(readdirSync(join(base, 'data/changes/sessions'))).toEqual([OTHER])
})

it('reads nothing a second time for another session in the folder', async () => {
  await begin()
  const before = readKept().length
  await begin(OTHER)
  expect(readKept().length).toBeLessThan(2 * before)
  await write('src/a.ts', 'changed\n')
  expect(await listed('start', OTHER)).toEqual(['changed src/a.ts +1 -3'])
})

it('goes on where another process died, in the middle of a content or of a note', async () => {
  await begin()
  await store.close()
  const pack = join(
    base,
    'data/changes/contents',
    readdirSync(join(base, 'data/changes/contents'))[0] ?? '',
    'contents',
  )
  // The last content is half written, and so are the notes of another session.
  truncateSync(pack, statSync(pack).size - 2)
  appendFileSync(join(base, 'data/changes/sessions', ID, 'start.json.next'), '[["half')
  await mkdir(join(base, 'data/changes/sessions', OTHER))
  writeFileSync(join(base, 'data/changes/sessions', OTHER, 'start.json'), '[["half')
  store = open()
  expect(await store.list(OTHER, 'start')).toBeUndefined()
  await begin(OTHER, true)
  await write('src/a.ts', 'a\nB\nc\n')
  await write('kept.txt', 'two\n')
  await rm(join(root, 'gone.txt'))
  expect(await listed('start', OTHER)).toEqual([
    'deleted gone.txt +0 -1',
    'changed kept.txt +1 -1',
    'changed src/a.ts +1 -1',
  ])
  expect((await store.list(OTHER, 'start'))?.remarks[0]).toMatch(/had begun before/)
  // Of the first one, the content that was cut off is missing, and nothing is made up for it.
  expect((await listed())?.filter((line) => !line.endsWith('-1'))).toEqual([])
})

it('says that a content is not kept where its bytes are not what they were', async () => {
  await begin()
  await store.close()
  const folder = join(base, 'data/changes/contents', readdirSync(join(base, 'data/changes/contents'))[0] ?? '')
  const bytes = readFileSync(join(folder, 'contents'))
  bytes.write('X', bytes.indexOf('a\nb\nc\n'))
  writeFileSync(join(folder, 'contents'), bytes)
  store = open()
  await write('src/a.ts', 'changed\n')
  expect(await listed()).toEqual(['changed src/a.ts not-kept'])
})

it('does not wait for a file of 100 MB, and copes with thousands of changed ones', async () => {
  await write('huge', '')
  await truncate(join(root, 'huge'), 100 * 1024 * 1024)
  await begin()
  await utimes(join(root, 'huge'), 1, 1)
  await mkdir(join(root, 'many'))
  for (let count = 0; count < 2000; count++) writeFileSync(join(root, 'many', `${count}.txt`), `${count}\n`)
  const list = await store.list(ID, 'start')
  expect(list?.files[0]).toEqual({ path: 'huge', status: 'changed', kind: 'file', why: 'large' })
  expect(list?.files).toHaveLength(1000)
  expect(list?.more).toBe(1001)
})

it('keeps it where nobody else can read', async () => {
  await begin()
  await store.mark(ID)
  for (const entry of await readdir(join(base, 'data/changes'), { recursive: true, withFileTypes: true })) {
    const { mode } = statSync(join(entry.parentPath, entry.name))
    expect(mode & 0o077).toBe(0)
  }
})

it('[T67] runs nothing of a repository’s configuration', async () => {
  const marker = join(base, 'marker')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, ...args], { env: { PATH: process.env.PATH, HOME: base }, stdio: 'ignore' })
  const evil = (name: string) => `touch ${marker}-${name}; cat`
  git('init')
  git('config', 'user.email', 'a@b')
  git('config', 'user.name', 'a')
  await write('.gitattributes', '* filter=evil diff=evil text ident\n')
  git('config', 'core.fsmonitor', evil('fsmonitor'))
  git('config', 'filter.evil.clean', evil('clean'))
  git('config', 'filter.evil.smudge', evil('smudge'))
  git('config', 'filter.evil.process', evil('process'))
  git('config', 'filter.evil.required', 'true')
  git('config', 'diff.evil.textconv', evil('textconv'))
  git('config', 'diff.evil.command', evil('command'))
  git('config', 'diff.external', evil('external'))
  git('config', 'core.pager', evil('pager'))
  git('config', 'core.hooksPath', join(root, 'hooks'))
  for (const hook of ['pre-commit', 'post-index-change', 'post-checkout', 'reference-transaction']) {
    await write(`hooks/${hook}`, `#!/bin/sh\n${evil(hook)}\n`)
    await chmod(join(root, 'hooks', hook), 0o755)
  }
  // They would run: git itself is asked once.
  git('status')
  expect(readdirSync(base).filter((name) => name.startsWith('marker'))).not.toEqual([])
  for (const name of readdirSync(base)) if (name.startsWith('marker')) await rm(join(base, name))

  await begin()
  await write('src/a.ts', 'changed\n')
  await store.mark(ID)
  await write('src/a.ts', 'again\n')
  await listed('message')
  expect(await diff('src/a.ts')).toContain('+again')
  await store.end(ID)
  await store.remove(ID)
  expect(readdirSync(base).filter((name) => name.startsWith('marker'))).toEqual([])
})

/** Everything that is kept on the disk. */
function readKept(): string {
  const folder = join(base, 'data/changes')
  if (!existsSync(folder)) return ''
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
