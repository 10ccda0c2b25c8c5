import { expect, it } from 'vitest'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { MIGRATIONS } from './sqlite-migrations.ts'
import { SELECT_ENDED, SELECT_ENDED_OF } from './sqlite-reader.ts'

it.each(sqliteDrivers)('F55 finds a page of ended sessions by an index, on $name', (driver) => {
  const connection = driver.open(':memory:')
  for (const step of MIGRATIONS) connection.exec(step)
  const plan = (sql: string, values: (string | number | null)[]) =>
    JSON.stringify(connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values))
  const page = plan(SELECT_ENDED, [1, '', null, 1])
  expect(page).toContain('SEARCH sessions USING INDEX sessions_ended (')
  expect(page).not.toContain('TEMP B-TREE')
  expect(plan(SELECT_ENDED_OF, ['conversation'])).toContain('USING INDEX sessions_ended_vendor')
  connection.close()
})
