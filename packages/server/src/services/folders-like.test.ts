import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFoldersLike } from './folders-like.ts'

async function world(folders: readonly string[] = []) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-like-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true })
  return root
}

const never = new AbortController().signal
type FoldersLike = ReturnType<typeof createFoldersLike>

/** Below `root`, whose own path is left out of the reply. */
const below =
  (root: string, like: FoldersLike = createFoldersLike()) =>
  async (typed: string) => {
    const { folders, more } = await like(`${root}/${typed}`, never)
    return { folders: folders.map((path) => path.slice(root.length + 1)), more }
  }

it('goes on with the folders that begin like it, then with those that have it inside, in any case', async () => {
  const root = await world(['Shop', 'shop-app/web', 'old-shop', 'app 10', 'app 9', '.shop', '.git/hooks'])
  await writeFile(join(root, 'shop.txt'), '')
  const like = below(root)
  expect(await like('sho')).toEqual({ folders: ['Shop', 'shop-app', 'old-shop'], more: false })
  expect(await like('')).toEqual({ folders: ['app 9', 'app 10', 'old-shop', 'Shop', 'shop-app'], more: false })
  expect(await like('shop-app/')).toEqual({ folders: ['shop-app/web'], more: false })
  expect(await like('shop-app/w')).toEqual({ folders: ['shop-app/web'], more: false })
  expect(await like('nothing')).toEqual({ folders: [], more: false })
  expect(await like('nothing/there')).toEqual({ folders: [], more: false })
  expect(await like('shop.txt/')).toEqual({ folders: [], more: false })
})

it('has hidden folders only after a dot', async () => {
  const like = below(await world(['app', '.git', '.github', '...']))
  expect((await like('')).folders).toEqual(['app'])
  expect((await like('git')).folders).toEqual([])
  expect((await like('.')).folders).toEqual(['...', '.git', '.github'])
  expect((await like('.gith')).folders).toEqual(['.github'])
})

it('follows links to folders alone, and has no name that nobody can type', async () => {
  const root = await world(['target', 'two\nlines'])
  await writeFile(join(root, 'file'), '')
  for (const [name, to] of Object.entries({
    'to-folder': 'target',
    'to-file': 'file',
    'to-nothing': 'gone',
    loop: 'loop',
  }))
    await symlink(join(root, to), join(root, name))
  expect((await below(root)('')).folders).toEqual(['target', 'to-folder'])
  expect((await below(root)('to')).folders).toEqual(['to-folder'])
})

it('reads ~ as the home folder, and nothing for what is no absolute path', async () => {
  const like = createFoldersLike()
  const home = await like(`${homedir()}/`, never)
  const expected = { ...home, folders: home.folders.map((path) => path.replace(homedir(), '~')) }
  expect(await like('~', never)).toEqual(expected)
  expect(await like('~/', never)).toEqual(expected)
  for (const typed of ['tmp', './tmp', '../', '~nobody/', 'a\0/', '/\0', '']) {
    expect(await like(typed, never), JSON.stringify(typed)).toEqual({ folders: [], more: false })
  }
  expect((await like('/', never)).folders).toContain('/tmp')
})

it('[I10] reads so many entries, follows so many links and names so many folders, and says that there are more', async () => {
  const root = await world(Array.from({ length: 8 }, (_, index) => `folder ${index}`))
  const few = await below(root, createFoldersLike({ folders: 3 }))('')
  expect(few).toEqual({ folders: ['folder 0', 'folder 1', 'folder 2'], more: true })
  const read = await below(root, createFoldersLike({ entries: 5 }))('')
  expect(read).toEqual({ folders: expect.any(Array), more: true })
  expect(read.folders).toHaveLength(5)
  const links = await world(['folder'])
  for (const index of Array(4).keys()) await symlink(join(links, 'folder'), join(links, `link ${index}`))
  const followed = await below(links, createFoldersLike({ links: 2 }))('link')
  expect(followed).toEqual({ folders: expect.any(Array), more: true })
  expect(followed.folders).toHaveLength(2)
})

it('[I10] reads no more of a disk that does not answer before it does', async () => {
  const root = await world(['work', 'target'])
  await symlink(join(root, 'target'), join(root, 'link'))
  const answers: (() => void)[] = []
  let leaves = new AbortController()
  const stuck = () => {
    leaves.abort()
    return new Promise<boolean>((resolve) => answers.push(() => resolve(true)))
  }
  const like = createFoldersLike({}, stuck)
  const look = (begun: string) => {
    leaves = new AbortController()
    return like(`${root}/${begun}`, leaves.signal)
  }
  for (const times of [1, 2]) {
    expect((await look('link')).more).toBe(true)
    expect(answers).toHaveLength(times)
  }
  // Two readings hang: the next one is not begun.
  expect(await look('work')).toEqual({ folders: [], more: true })
  for (const answer of answers) answer()
  await expect.poll(() => look('work')).toEqual({ folders: [join(root, 'work')], more: false })
})

it('[I10] gives up on a disk that does not answer', async () => {
  const root = await world(['target'])
  await symlink(join(root, 'target'), join(root, 'link'))
  const like = createFoldersLike({ ms: 20 }, () => new Promise(() => {}))
  expect(await like(`${root}/link`, never)).toEqual({ folders: [], more: true })
})

it('stops when nobody waits for it any more', async () => {
  const root = await world(['a', 'b'])
  expect(await createFoldersLike()(`${root}/`, AbortSignal.abort())).toMatchObject({ folders: [], more: true })
})
