import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { testNeeds } from './test-needs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const needs = testNeeds()
const of = (path) => [...(needs.get(path) ?? [])].sort()

it('finds every test file', () => {
  expect(needs.size).toBeGreaterThan(300)
  for (const path of needs.keys()) expect(existsSync(join(root, path)), path).toBe(true)
})

it('knows what a file needs by what it imports, directly or not', () => {
  expect(of('packages/schema/src/json.test.ts')).toEqual([])
  expect(of('packages/server/src/threats/roles.test.ts')).toContain('gateway')
  expect(of('packages/agents/src/claude/canary/gate.test.ts')).toContain('programs')
  expect(of('apps/cli/src/cli.test.ts')).toEqual(expect.arrayContaining(['programs', 'processes']))
  expect(of('packages/store/src/postgres/postgres-store.test.ts')).toEqual(['postgres', 'processes'])
  expect(of('packages/store/src/sqlite-store.test.ts')).not.toContain('postgres')
  expect(of('apps/web/src/e2e/push.test.ts')).toContain('whole-browser')
  expect(of('apps/web/src/e2e/focus.test.ts')).not.toContain('whole-browser')
  expect(of('apps/web/src/e2e/focus.test.ts')).toEqual(expect.arrayContaining(['browser', 'programs', 'web']))
})
