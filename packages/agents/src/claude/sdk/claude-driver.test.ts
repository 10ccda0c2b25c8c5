import { DriverError, type DriverStart } from '@holdpoint/core/driver'
import { expect, it, vi } from 'vitest'
import type { HostConnection } from '../../host/client/host-connection.ts'
import type { Sdk } from '../program/claude-program.ts'
import { createClaudeDriver } from './claude-driver.ts'

it('T34 spawns no agent for a session that was ended while its start was loading', async () => {
  const spawn = vi.fn(() => Promise.reject(new Error('spawned')))
  const stopping = new AbortController()
  const query: Sdk['query'] = ({ options }) => {
    options?.spawnClaudeCodeProcess?.({ command: 'claude', args: [], env: {}, signal: stopping.signal })
    const initializationResult = () => new Promise(() => {})
    return { initializationResult, close() {}, async *[Symbol.asyncIterator]() {} } as unknown as ReturnType<
      Sdk['query']
    >
  }
  const driver = createClaudeDriver({
    agent: 'claude',
    host: { client: async () => ({ spawn }) } as unknown as HostConnection,
    loadSdk: async () => {
      stopping.abort(new DriverError('stopped', 'the session has ended'))
      return { query } as Sdk
    },
    settings: async () => ({ env: {} }),
    content: async () => [],
    watchedFiles: async () => expect.fail('nothing is called'),
    keepPicture: async () => expect.fail('nothing is called'),
    warn: () => {},
  })
  const start = { sessionId: 'ses_1', epoch: 1, cwd: '/', permissionMode: 'default', stopping: stopping.signal }
  await expect(driver.start(start as DriverStart)).rejects.toMatchObject({ code: 'stopped' })
  expect(spawn).not.toHaveBeenCalled()
})
