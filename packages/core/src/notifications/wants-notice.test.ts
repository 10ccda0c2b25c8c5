import { expect, it } from 'vitest'
import { isQuiet, wantsNotice } from './wants-notice.ts'

const at = (text: string) => Date.parse(text)

it('is quiet between two times of the day where the device is, also over midnight', () => {
  const night = { from: '22:00', to: '07:30', timeZone: 'Europe/Paris' }
  // Paris is one hour ahead of UTC in winter, and two in summer.
  expect(isQuiet(night, at('2026-01-10T20:59:00Z'))).toBe(false)
  expect(isQuiet(night, at('2026-01-10T21:00:00Z'))).toBe(true)
  expect(isQuiet(night, at('2026-01-11T06:29:00Z'))).toBe(true)
  expect(isQuiet(night, at('2026-01-11T06:30:00Z'))).toBe(false)
  expect(isQuiet(night, at('2026-07-10T20:00:00Z'))).toBe(true)
  expect(isQuiet({ ...night, timeZone: 'America/New_York' }, at('2026-01-10T21:00:00Z'))).toBe(false)
  expect(isQuiet({ from: '12:00', to: '13:00', timeZone: 'UTC' }, at('2026-01-10T12:30:00Z'))).toBe(true)
  expect(isQuiet({ from: '12:00', to: '13:00', timeZone: 'UTC' }, at('2026-01-10T13:00:00Z'))).toBe(false)
  expect(isQuiet(undefined, 0)).toBe(false)
})

it('wants the kinds and the projects that it was told, or all projects', () => {
  const settings = { kinds: ['ask' as const], content: 'names' as const }
  expect(wantsNotice(settings, { kind: 'ask', project: '/a' })).toBe(true)
  expect(wantsNotice(settings, { kind: 'alarm', project: '/a' })).toBe(false)
  expect(wantsNotice({ ...settings, projects: ['/b'] }, { kind: 'ask', project: '/a' })).toBe(false)
  expect(wantsNotice({ ...settings, projects: ['/b'] }, { kind: 'ask', project: '/b' })).toBe(true)
})
