import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { diskLook } from './disk-look.ts'
import { isFixedPlace, isOwnPlace } from './fixed-place.ts'

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-fixed-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('T22 knows a path that is another one to every process, also behind links', async () => {
  const folder = newFolder()
  const links = {
    here: '/proc/self/cwd',
    up: '../../../../../../../proc/self',
    twice: 'here',
    round: 'round',
    there: '.',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
  for (const path of ['/proc/self/cwd/x', '/./proc/x', '/dev/stdin', '/tmp/../dev/fd/0'])
    expect([path, await isFixedPlace(path)]).toEqual([path, false])
  for (const name of ['here/x', 'up/cwd/x', 'twice/x', 'round/x', 'there/here/x'])
    expect([name, await isFixedPlace(join(folder, name))]).toEqual([name, false])
  for (const name of ['x', 'there/x', 'there/there/../x', 'none/x'])
    expect([name, await isFixedPlace(`${folder}/${name}`)]).toEqual([name, true])
})

it('T22 takes no path for its own place that has a link on the way or at its end', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'real'))
  writeFileSync(join(folder, 'real/file'), '')
  const links = { folder: 'real', file: 'real/file', nowhere: 'none', round: 'round', 'real/up': '..' }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
  const own = ['', '/real', '/real/file', '/real/none', '/none', '/none/deeper', '/real/file/below']
  for (const name of own) expect([name, await isOwnPlace(folder + name, diskLook())]).toEqual([name, true])
  const behindLinks = [
    '/folder/file',
    '/folder/none',
    '/file',
    '/nowhere',
    '/nowhere/x',
    '/round',
    '/round/x',
    '/real/up/x',
  ]
  const written = ['/real/', '//real', '/real/../real', '/./real']
  for (const name of [...behindLinks, ...written]) {
    expect([name, await isOwnPlace(folder + name, diskLook())]).toEqual([name, false])
  }
  for (const path of ['/proc/self/cwd', '/proc/none', '/dev/null', 'real', `${folder}/a\0b`])
    expect([path, await isOwnPlace(path, diskLook())]).toEqual([path, false])
})
