import type { LetThrough } from '@holdpoint/schema/endpoints/history'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const LS = { effect: 'allow', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } }

it('tells by rule what was let through since a time, to each credential of its own sessions', async () => {
  await using test = await startJudgingGateway()
  const read = (query: string, api = test.api) => api.ok<LetThrough>('GET', `/api/history/let-through${query}`)
  const { id } = await test.addRule(LS)
  const nothing = await read('')
  expect(nothing).toMatchObject({ calls: 0, rules: [] })
  await test.bash('ls src', { title: 'Bash: ls src' })
  await test.bash('ls lib', { title: 'Bash: ls lib' })
  // What was settled in this very millisecond counts with the next look.
  const since = await until(async () => {
    const found = await read(`?from=${nothing.until}`)
    return found.calls === 2 && found
  }, 'both calls')
  expect(since).toMatchObject({ rules: [{ rule: id, calls: 2, last: { title: 'Bash: ls lib' } }] })
  expect(await read(`?from=${since.until}`)).toMatchObject({ calls: 0, rules: [] })
  const { session } = await test.newSession()
  const other = await test.credential({ role: 'viewer', sessionIds: [session.id] })
  expect((await read('?from=0', other.api)).calls).toBe(0)
  expect((await test.api.call('GET', '/api/history/let-through?from=x')).status).toBe(422)
})
