import { DriverError, type DriverStart } from '@holdpoint/core/driver'
import { expect, it, vi } from 'vitest'
import { createTerminalDriver, type TerminalDriverDeps } from './terminal-driver.ts'

it('T34 spawns no program for a session that was ended while its start was loading', async () => {
  const spawn = vi.fn(() => Promise.reject(new Error('spawned')))
  const stopping = new AbortController()
  const driver = createTerminalDriver({
    host: {
      client: async () => {
        stopping.abort(new DriverError('stopped', 'the session has ended'))
        return { spawn }
      },
    },
    helperMain: 'helper',
    environment: {},
    terminals: { takeEnvironment: () => undefined },
    program: async () => ({ command: 'sh', args: [], cols: 80, rows: 24 }),
    tools: {},
  } as unknown as TerminalDriverDeps)
  const start = { sessionId: 'ses_1', epoch: 1, cwd: '/', stopping: stopping.signal } as unknown as DriverStart
  await expect(driver.start(start)).rejects.toMatchObject({ code: 'stopped' })
  expect(spawn).not.toHaveBeenCalled()
})
