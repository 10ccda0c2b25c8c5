import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { readTerminalProgram, recordTerminalProgram } from './terminal-programs.ts'

it('forgets the command of a session that is deleted', async () => {
  await using test = await startTestGateway()
  const { session } = await test.session()
  const program = { command: 'claude', args: ['-p', 'a secret'], environment: {}, cols: 80, rows: 24 }
  await recordTerminalProgram(test.store.records, session.id, program)
  await test.api.ok('DELETE', `/api/sessions/${session.id}`)
  expect(await readTerminalProgram(test.store.records, session.id)).toBeDefined()
  await test.api.ok('DELETE', `/api/sessions/${session.id}/content`)
  expect(await readTerminalProgram(test.store.records, session.id)).toBeUndefined()
})
