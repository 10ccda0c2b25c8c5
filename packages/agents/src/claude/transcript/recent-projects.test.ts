import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeTranscript } from './fixtures/write-transcript.ts'
import { projectFolderName } from './project-folder.ts'
import { recentProjects } from './recent-projects.ts'

async function world() {
  const root = await mkdtemp(join(tmpdir(), 'holdpoint-recent-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return {
    root,
    /** A project whose last conversation began and was last written to so long ago. */
    async project(
      cwd: string,
      {
        age,
        text = `${JSON.stringify({ type: 'user', cwd, message: { content: 'hi' } })}\n`,
      }: { age: number; text?: string },
    ) {
      await writeTranscript(root, { id: `s${age}`, cwd, text, age })
      const at = 1_700_000_000 - age
      await utimes(join(root, projectFolderName(cwd)), at, at)
    },
  }
}

it('names the folders in which Claude Code was used last, as their conversations tell them', async () => {
  const { root, project } = await world()
  for (const [index, cwd] of ['/code/shop-app', '/code/blog', '/home/dev/über'].entries())
    await project(cwd, { age: 30 - index })
  expect(await recentProjects(root, 5)).toEqual([
    { path: '/home/dev/über', lastUsedAt: (1_700_000_000 - 28) * 1000 },
    { path: '/code/blog', lastUsedAt: (1_700_000_000 - 29) * 1000 },
    { path: '/code/shop-app', lastUsedAt: (1_700_000_000 - 30) * 1000 },
  ])
  expect((await recentProjects(root, 2)).map(({ path }) => path)).toEqual(['/home/dev/über', '/code/blog'])
})

it('leaves out what says no folder, and takes the folder that the conversation began in', async () => {
  const { root, project } = await world()
  const said = (cwd?: string) =>
    `${JSON.stringify({ type: 'user', ...(cwd && { cwd }), message: { content: 'hi' } })}\n`
  await project('/code/silent', { age: 1, text: said() })
  await project('/code/damaged', { age: 2, text: '{"type":"user","cwd":' })
  await project('/code/shop', { age: 3, text: said('/code/elsewhere') + said('/code/shop') })
  await mkdir(join(root, 'empty'))
  await writeFile(join(root, 'a-file'), '')
  expect((await recentProjects(root, 9)).map(({ path }) => path)).toEqual(['/code/shop'])
  expect(await recentProjects(join(root, 'nowhere'), 9)).toEqual([])
})
