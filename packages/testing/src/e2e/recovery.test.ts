import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import { runningProcess } from '@holdpoint/agents/processes/processes'
import { errors, failWith, steps } from '@holdpoint/demo-model/scenarios'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGatewayProcess } from '../gateway-process.ts'
import { until } from '../until.ts'
import { type RealGateway, startRealGateway } from './real-gateway.ts'

let real: RealGateway
let broken = true
const scripts: Record<string, Script> = {
  echo: (call) => say(`You said: ${call.lastUserText}`),
  'broken-once': (call) => (broken ? failWith(errors.badKey)(call) : say('Better now.')),
  plan: steps([
    use('EnterPlanMode'),
    (call) => ({ content: [use('Write', { file_path: call.planFile ?? '', content: '# Plan\n' })] }),
    use('ExitPlanMode'),
  ]),
}

beforeAll(async () => {
  real = await startRealGateway({ scripts })
})
afterAll(() => real[Symbol.asyncDispose]())

describe('a session with the real agent', () => {
  it('that a model error has ended is resumed', async () => {
    const session = await real.session('broken-once')
    await session.ended()
    broken = false
    expect(
      (await real.api.call<Session>('POST', '/api/sessions', { resume: session.id, prompt: 'and now?' })).status,
    ).toBe(201)
    await session.idle()
    expect((await session.items()).map((item) => ('text' in item ? item.text : ''))).toContain('Better now.')
  })

  it('whose mode a person has changed works on in it', async () => {
    const session = await real.session('echo')
    await session.idle()
    expect(
      (await real.api.call('POST', `/api/sessions/${session.id}/mode`, { permissionMode: 'acceptEdits' })).status,
    ).toBe(200)
    await session.send('hello again')
    await until(() => session.told().includes('hello again'), 'the message to arrive')
    await session.idle()
    expect(await session.read()).toMatchObject({ state: 'user_turn', permissionMode: 'acceptEdits' })
  })

  it('whose plan was allowed with another mode works on in that', async () => {
    const session = await real.session('plan')
    await session.answer(await session.ask((ask) => ask.kind === 'plan'), {
      kind: 'allow',
      permissionMode: 'acceptEdits',
    })
    await session.idle()
    await until(async () => (await session.read()).permissionMode === 'acceptEdits', 'the mode')
    await session.send('once more')
    await session.ask((ask) => ask.kind === 'plan')
    expect((await session.read()).state).toBe('assistant_turn')
    await real.api.call('DELETE', `/api/sessions/${session.id}`)
  })

  it('resumed does not get its old message again after a restart of the gateway', async () => {
    const session = await real.session('echo')
    await session.idle()
    await real.api.call('DELETE', `/api/sessions/${session.id}`)
    await real.api.ok('POST', '/api/sessions', { resume: session.id })
    await session.idle()
    await real.gateway.stop()
    await real.restart()
    await session.send('the next one')
    await until(() => session.told().includes('the next one'), 'the next message')
    await session.idle()
    await real.gateway.stop()
    const host = await connectHost({ dataDir: real.dataDir, hostMain: '' })
    const agent = await host.attach({ key: `${session.id}.2`, after: 0 })
    host.close()
    await real.restart()
    expect(agent?.attached?.uuids).toHaveLength(1)
  })
})

it('[F5] an agent that belongs to no session any more is ended by the next gateway', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hp-left-'))
  const hostMain = fileURLToPath(new URL('../../../../dist/host.js', import.meta.url))
  const host = await connectHost({ dataDir, hostMain })
  const key = 'ses_01m7evmds1qj3y89w6a7nvkad0.1'
  const agent = await host.spawn({ key, command: 'sleep', args: ['600'], cwd: tmpdir(), env: {} })
  host.close()
  const gateway = await startGatewayProcess({ dataDir })
  await until(async () => (await runningProcess(agent.pid)) === undefined, 'the leftover to be ended')
  await gateway.stop()
  await (await connectHost({ dataDir, hostMain })).shutdown()
  await rm(dataDir, { recursive: true, force: true })
})
