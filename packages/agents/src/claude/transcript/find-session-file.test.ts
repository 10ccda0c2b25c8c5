import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { beginsWithClear, findSessionById, findSessionByMarker, sessionsSince } from './find-session-file.ts'
import { writeTranscript } from './fixtures/write-transcript.ts'
import { claudeConfigDir, projectFolderName, projectsDir } from './project-folder.ts'

let root: string
let projects: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-find-')))
  projects = join(root, 'projects')
})
afterEach(() => rm(root, { recursive: true, force: true }))

function session(cwd: string, id: string, { text = '', age = 0 } = {}) {
  return writeTranscript(projects, { id, cwd, text, age })
}

const typed = (text: string) => `${JSON.stringify({ type: 'user', message: { content: text } })}\n`

describe('where Claude Code keeps its transcripts', () => {
  it('is below its configuration folder', () => {
    expect(claudeConfigDir({}, '/home/dev')).toBe('/home/dev/.claude')
    expect(projectsDir({ CLAUDE_CONFIG_DIR: '/else' }, '/home/dev')).toBe('/else/projects')
    expect(projectsDir({ CLAUDE_CONFIG_DIR: '' }, '/home/dev')).toBe('/home/dev/.claude/projects')
  })

  it.each([
    ['/workspace', '-workspace'],
    ['/home/dev/my_app.v2 (new)', '-home-dev-my-app-v2--new-'],
    ['/home/dév/ü', '-home-d-v--'],
    ['C:\\work', 'C--work'],
  ])('names the folder of %s %s', (cwd, name) => {
    expect(projectFolderName(cwd)).toBe(name)
  })

  it('cuts a long name and tells it from others by a hash', () => {
    const [a, b] = ['a', 'b'].map((end) => projectFolderName(`/${'x'.repeat(250)}${end}`))
    expect(a).toMatch(/^-x{199}-[0-9a-z]+$/)
    expect(a).not.toBe(b)
  })
})

describe('by id', () => {
  it('finds it in the project of the folder', async () => {
    const path = await session('/code/a', 'id-1')
    await session('/code/b', 'id-1')
    expect(await findSessionById(projects, 'id-1', { cwd: '/code/a' })).toMatchObject({ path, sessionId: 'id-1' })
  })

  it('finds it in another project when it is not there', async () => {
    const path = await session('/code/b', 'id-1')
    expect((await findSessionById(projects, 'id-1', { cwd: '/code/a' }))?.path).toBe(path)
    expect((await findSessionById(projects, 'id-1'))?.path).toBe(path)
  })

  it('finds it in the project of a folder that was reached over a link', async () => {
    await mkdir(join(root, 'real'))
    await symlink(join(root, 'real'), join(root, 'link'))
    const path = await session(join(root, 'real'), 'id-1')
    expect((await findSessionById(projects, 'id-1', { cwd: join(root, 'link') }))?.path).toBe(path)
  })

  it.each(['../../secret', 'a/b', '', '.', 'x\0', 'x'.repeat(200)])('finds nothing by %j', async (id) => {
    await writeFile(join(root, 'secret.jsonl'), '')
    await mkdir(projects)
    expect(await findSessionById(projects, id)).toBeUndefined()
  })

  it('finds no link, and nothing where there is no such folder', async () => {
    await mkdir(join(projects, '-work'), { recursive: true })
    await writeFile(join(root, 'secret'), '')
    await symlink(join(root, 'secret'), join(projects, '-work', 'id-1.jsonl'))
    expect(await findSessionById(projects, 'id-1')).toBeUndefined()
    expect(await findSessionById(join(root, 'missing'), 'id-1')).toBeUndefined()
  })
})

describe('by newest', () => {
  it('finds the one that changed last, of one project or of all', async () => {
    await session('/code/a', 'old', { age: 100 })
    const newer = await session('/code/a', 'newer', { age: 50 })
    const newest = await session('/code/b', 'newest', { age: 10 })
    expect((await sessionsSince(projects, { cwd: '/code/a' }))[0]?.path).toBe(newer)
    expect((await sessionsSince(projects))[0]?.path).toBe(newest)
  })

  it('finds none that changed before the program was started', async () => {
    await session('/code/a', 'old', { age: 100 })
    expect(await sessionsSince(projects, { cwd: '/code/a', since: 1_700_000_000_000 })).toEqual([])
  })
})

describe('what takes the place of a conversation', () => {
  it('is among those that changed since, the newest first', async () => {
    await session('/code/a', 'old', { age: 100 })
    await session('/code/a', 'one', { age: 20 })
    await session('/code/a', 'two', { age: 10 })
    await session('/code/b', 'other')
    const found = await sessionsSince(projects, { cwd: '/code/a', since: 1_700_000_000_000 - 50_000 })
    expect(found.map(({ sessionId }) => sessionId)).toEqual(['two', 'one'])
  })

  it('begins with /clear, and nothing else does', async () => {
    const clear = '<command-name>/clear</command-name>\n<command-message>clear</command-message>'
    const caveat = `${JSON.stringify({ type: 'user', isMeta: true, message: { content: '<local-command-caveat>' } })}\n`
    const begins = async (text: string) => beginsWithClear(await session('/code/a', 'x', { text }))
    expect(await begins(`{"type":"mode"}\n${caveat}${typed(clear)}${typed('go on')}`)).toBe(true)
    expect(await begins(typed('go on') + typed(clear))).toBe(false)
    expect(await begins(typed(`what does ${clear} do?`))).toBe(false)
    expect(await begins('')).toBe(false)
    expect(await beginsWithClear(join(root, 'missing.jsonl'))).toBe(false)
  })
})

describe('by marker', () => {
  const marker = randomUUID()

  it('finds the one in which a person said it, not the newest', async () => {
    const path = await session('/code/a', 'right', { text: typed('hello') + typed(`say ${marker}`), age: 100 })
    await session('/code/a', 'newer', { text: typed('hello') })
    expect((await findSessionByMarker(projects, marker, { cwd: '/code/a' }))?.path).toBe(path)
  })

  it('is not led astray by a tool that read the other transcript', async () => {
    const path = await session('/code/a', 'right', { text: typed(marker), age: 100 })
    const content = [{ type: 'tool_result', tool_use_id: 't', content: `found ${marker}` }]
    await session('/code/a', 'reader', { text: `${JSON.stringify({ type: 'user', message: { content } })}\n` })
    expect((await findSessionByMarker(projects, marker))?.path).toBe(path)
  })

  it('finds none when two have it, when none has it yet, and beyond the newest', async () => {
    expect(await findSessionByMarker(projects, marker)).toBeUndefined()
    await session('/code/a', 'far', { text: typed(marker), age: 1000 })
    for (let age = 0; age < 5; age++) await session('/code/a', `s${age}`, { age })
    expect(await findSessionByMarker(projects, marker)).toBeUndefined()
    await session('/code/a', 's0', { text: typed(marker) })
    expect(await findSessionByMarker(projects, marker)).toMatchObject({ sessionId: 's0' })
    await session('/code/a', 's1', { text: typed(marker) })
    expect(await findSessionByMarker(projects, marker)).toBeUndefined()
  })

  it('takes nothing less than a UUID', async () => {
    await expect(findSessionByMarker(projects, 'go')).rejects.toThrow(RangeError)
  })
})
