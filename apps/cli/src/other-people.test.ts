import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { otherPeople } from './other-people.ts'

it('T64 finds people, not services, not ourselves, and nobody where there is no such folder', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can make files of other users')
  const proc = await mkdtemp(join(tmpdir(), 'hp-proc-'))
  try {
    const owners = { '1': 0, '20': 33, '300': 1000, '301': 1000, '400': 1001, '500': 65_534, self: 1002 }
    for (const [name, uid] of Object.entries(owners)) {
      await mkdir(join(proc, name))
      await chown(join(proc, name), uid, uid)
    }
    expect(await otherPeople(1000, proc)).toEqual([1001])
    expect(await otherPeople(0, proc)).toEqual([1000, 1001])
    expect(await otherPeople(0, join(proc, 'none'))).toEqual([])
  } finally {
    await rm(proc, { recursive: true })
  }
})
