import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeTranscript } from './fixtures/write-transcript.ts'
import { listTranscripts } from './list-transcripts.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdpoint-list-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const line = (value: Record<string, unknown>) => `${JSON.stringify(value)}\n`
const typed = (text: string, cwd = '/code') => line({ type: 'user', cwd, message: { content: text } })

function transcript(id: string, text: string, { cwd = '/code', age = 0 } = {}) {
  return writeTranscript(root, { id, cwd, text, age })
}

describe('the conversations on this machine', () => {
  it('come newest first, with folder, title, time and size', async () => {
    const path = await transcript('b', typed('hello there'), { age: 5 })
    await transcript('a', typed('older'), { age: 10 })
    const { transcripts, next } = await listTranscripts(root)
    expect(transcripts.map(({ title }) => title)).toEqual(['hello there', 'older'])
    expect(next).toBeUndefined()
    expect(transcripts[0]).toEqual({
      sessionId: 'b',
      path,
      cwd: '/code',
      title: 'hello there',
      modifiedAt: (1_700_000_000 - 5) * 1000,
      size: typed('hello there').length,
    })
  })

  it('come page by page, each once, also when a newer one appears in between', async () => {
    for (let index = 0; index < 25; index++) {
      await transcript(`s${index}`, typed(`n${index}`), { age: Math.floor(index / 3), cwd: `/code/${index % 4}` })
    }
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await listTranscripts(root, { limit: 10, ...(after !== undefined && { after }) })
      seen.push(...page.transcripts.map(({ title }) => title))
      if (page.next === undefined) break
      after = page.next
      await transcript(`new-${seen.length}`, typed('new'), { age: -10 })
    }
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
  })

  it('are found by part of their folder’s path', async () => {
    await transcript('a', typed('one'), { cwd: '/home/dev/shop-app' })
    await transcript('b', typed('two'), { cwd: '/home/dev/other' })
    const found = async (folder: string) =>
      (await listTranscripts(root, { folder })).transcripts.map(({ title }) => title)
    expect(await found('dev/Shop')).toEqual(['one'])
    expect(await found('/home/dev')).toHaveLength(2)
    expect(await found('nowhere')).toEqual([])
  })

  it.each([
    ['a person’s title', line({ type: 'custom-title', customTitle: 'Mine' }), 'Mine'],
    ['Claude Code’s title', line({ type: 'ai-title', aiTitle: 'Its own' }), 'Its own'],
    ['a summary', line({ type: 'summary', summary: 'In short' }), 'In short'],
  ])('are called by %s', async (_, entry, title) => {
    await transcript('a', typed('first') + entry)
    expect((await listTranscripts(root)).transcripts[0]?.title).toBe(title)
  })

  it('are called by their first prompt, without what Claude Code put there', async () => {
    await transcript(
      'a',
      line({ type: 'user', isMeta: true, message: { content: 'caveat' } }) +
        typed('<local-command-stdout>x</local-command-stdout>') +
        typed(`  a long\n\nprompt ${'x'.repeat(500)}`),
    )
    const [{ title = '' } = {}] = (await listTranscripts(root)).transcripts
    expect(title).toMatch(/^a long prompt x+\.\.\.$/)
    expect(title.length).toBeLessThanOrEqual(200)
  })

  it('are called by the title at the end of a large file, of which only head and tail are read', async () => {
    const filler = `${JSON.stringify({ type: 'attachment', text: 'x'.repeat(1000) })}\n`.repeat(2000)
    await transcript('a', typed('first') + filler + line({ type: 'custom-title', customTitle: 'At the end' }))
    await transcript('b', filler + line({ type: 'last-prompt', lastPrompt: 'the last' }), { age: 1 })
    expect((await listTranscripts(root)).transcripts.map(({ title }) => title)).toEqual(['At the end', 'the last'])
  })

  it('are no files in which nobody has said anything, no links and no garbage', async () => {
    await transcript('empty', '')
    await transcript('silent', line({ type: 'permission-mode', permissionMode: 'default' }))
    await transcript('garbage', 'not json\n\0\0\n')
    const real = join(root, 'secret')
    await writeFile(real, typed('secret'))
    await symlink(real, join(root, '-code', 'link.jsonl'))
    await symlink(tmpdir(), join(root, 'elsewhere'))
    expect(await listTranscripts(root)).toEqual({ transcripts: [] })
  })

  it('are none where there is no folder', async () => {
    expect(await listTranscripts(join(root, 'missing'))).toEqual({ transcripts: [] })
  })
})
