import { setImmediate } from 'node:timers/promises'
import type { RecordChange } from '@holdpoint/core/cluster'
import { expect, it } from 'vitest'
import { RecordChanges } from './record-changes.ts'

/** With what was read again, each for as long as the test wants. */
function following() {
  const changes = new RecordChanges()
  changes.begin(1)
  const read: (RecordChange | undefined)[] = []
  let go = () => {}
  const until = new Promise<void>((resolve) => {
    go = resolve
  })
  changes.onChange(async (change) => {
    read.push(change)
    await until
  })
  return { changes, read, go }
}

const own = (changes: RecordChanges, newest: number) => changes.own('own', async () => ({ found: true, newest }))

it('[I8] knows the rights of its own change at once, and reads nothing again for it', async () => {
  const { changes, read } = following()
  await own(changes, 2)
  await expect.poll(() => changes.authority).toBe(2)
  changes.heard('2 own ["devices","phone"]')
  await setImmediate()
  expect([changes.authority, read]).toEqual([2, []])
})

it('[I8] knows the rights of its own change only once it has read what others changed before, heard of or not', async () => {
  for (const isHeard of [true, false]) {
    const { changes, read, go } = following()
    if (isHeard) changes.heard('2 other ["devices","phone"]')
    await own(changes, 3)
    for (let turns = 0; turns < 5; turns++) await setImmediate()
    expect(changes.authority).toBe(1)
    if (!isHeard) changes.heard('2 other ["devices","phone"]')
    changes.heard('3 own ["devices","tablet"]')
    go()
    await expect.poll(() => changes.authority).toBe(3)
    expect(read).toEqual([{ collection: 'devices', key: 'phone' }])
  }
})
