import { LAST_SCREEN_CHARACTERS } from '@holdpoint/agents/terminal/helper-protocol'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { expect, it } from 'vitest'
import { forgetLastScreen, keepLastScreen, readLastScreen } from './last-screens.ts'

const SCREEN = { data: '\x1b[31mred', cols: 80, rows: 24 }
const session = (epoch: number, more = {}) => ({ id: 'ses_1' as const, epoch, ...more })

function world() {
  const { records } = createMemoryStore()
  return {
    records,
    keep: (epoch: number, screen = SCREEN) => keepLastScreen(records, { sessionId: 'ses_1', epoch }, screen),
  }
}

it('shows how a terminal looked at its end, and nothing of an earlier life of it', async () => {
  const { records, keep } = world()
  expect(await readLastScreen(records, session(1))).toBeUndefined()
  await keep(1)
  expect(await readLastScreen(records, session(1))).toEqual(SCREEN)
  expect(await readLastScreen(records, session(2))).toBeUndefined()
  await keep(2, { ...SCREEN, data: 'new' })
  expect(await readLastScreen(records, session(2))).toEqual({ ...SCREEN, data: 'new' })
})

it('[I10] keeps none that is too large', async () => {
  const { records, keep } = world()
  await keep(1, { ...SCREEN, data: 'x'.repeat(LAST_SCREEN_CHARACTERS + 1) })
  expect(await readLastScreen(records, session(1))).toBeUndefined()
  await keep(1, { ...SCREEN, data: 'x'.repeat(LAST_SCREEN_CHARACTERS) })
  expect(await readLastScreen(records, session(1))).toBeDefined()
})

it('shows nothing of a deleted session, also before it is removed', async () => {
  const { records, keep } = world()
  await keep(1)
  const deleted = { at: 1, by: { deviceId: 'dev_1', name: 'Ann', role: 'owner' } } as never
  expect(await readLastScreen(records, session(1, { deleted }))).toBeUndefined()
  await forgetLastScreen(records, 'ses_1')
  expect(await records.list('last-screens')).toEqual([])
})
