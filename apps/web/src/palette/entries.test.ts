import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { paletteEntries } from './entries.ts'
import { rank } from './rank.ts'

const session = (title: string, fields: Partial<Session> = {}): Session =>
  ({
    id: `ses_${title}`,
    title,
    agent: 'claude',
    cwd: '/home/ann/site',
    projectId: '/home/ann/site',
    state: 'assistant_turn',
    openAsks: 0,
    stateChangedAt: 0,
    ...fields,
  }) as Session

const SESSIONS = [
  session('ended', { state: 'dead', stateChangedAt: 9 }),
  session('put away', { archived: true }),
  session('older'),
  session('newer', { stateChangedAt: 5 }),
  session('asks', { openAsks: 1 }),
]
const OWNER = { isOwner: true, hasMachines: false, openSession: undefined }
const paths = (sessions: readonly Session[], scope = OWNER) => paletteEntries(sessions, scope).map(({ path }) => path)

it('has what runs first, in order of need, and what is over last', () => {
  const all = paths(SESSIONS)
  expect(all.slice(0, 5)).toEqual([
    '/sessions/ses_asks',
    '/sessions/ses_newer',
    '/sessions/ses_older',
    '/',
    '/sessions',
  ])
  expect(all.slice(-3)).toEqual(['/sessions?search=site', '/sessions/ses_put away', '/sessions/ses_ended'])
})

it('has the pages of this browser and of this gateway', () => {
  expect(paths([])).toEqual([
    '/',
    '/sessions',
    '/new',
    '/past',
    '/devices',
    '/history',
    '/usage',
    '/rules',
    '/settings',
  ])
  const other = paths([], { ...OWNER, isOwner: false, hasMachines: true })
  expect(other).toContain('/machines')
  expect(other).not.toContain('/new')
  expect(other).not.toContain('/past')
})

it('has the changed files of the session whose page is open', () => {
  const [openSession] = SESSIONS
  expect(paletteEntries([], { ...OWNER, openSession })[0]?.path).toBe('/sessions/ses_ended/changes')
})

it('finds a session by its title or its project, those that wait before what fits better', () => {
  const entries = paletteEntries(SESSIONS, OWNER)
  const found = (typed: string) => rank(entries, typed, 50).map(({ path }) => path)
  expect(found('site')[0]).toBe('/sessions/ses_asks')
  expect(found('newer site')).toEqual(['/sessions/ses_newer'])
  expect(found('settings')).toEqual(['/settings'])
})
