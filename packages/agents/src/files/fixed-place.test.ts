import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isFixedPlace } from './fixed-place.ts'

it('T22 knows a path that is another one to every process, also behind links', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-fixed-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
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
