import { steps } from '@holdpoint/demo-model/scenarios'
import { expect, it } from 'vitest'
import { startRealGateway } from './real-gateway.ts'

const scripts = { idle: steps([]) }

it('without an agent program says where it looked and what to do', async () => {
  await using real = await startRealGateway({ scripts, env: { HOLDPOINT_CLAUDE: '/no/such/claude' } })
  const session = await real.session('idle')
  const ended = await session.ended()
  expect(ended).toMatchObject({ endReason: 'error', error: { code: 'agent-missing' } })
  expect(ended.error?.message).toContain('/no/such/claude')
  expect(ended.error?.message).toContain('HOLDPOINT_CLAUDE')
  // The gateway is none the worse for it.
  expect((await real.api.call('GET', '/api/health')).body).toEqual({ status: 'ok' })
})

it('without credentials for the model says how to get some', async () => {
  await using real = await startRealGateway({ scripts, env: { ANTHROPIC_API_KEY: '' } })
  const session = await real.session('idle')
  const ended = await session.ended()
  expect(ended).toMatchObject({ endReason: 'error', error: { code: 'no-credentials' } })
  expect(ended.error?.message).toContain('ANTHROPIC_API_KEY')
})
