import type { Session } from '@holdpoint/schema/session'
import { apiClient } from '@holdpoint/testing/api-client'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'
import { hashSecret, newSecret } from '../auth/secrets.ts'

/** Two gateways on one log, each with agents of its own. */
async function twoMachines() {
  const shared = createMemoryCluster()
  const onA = shared.node('machine a')
  const onB = shared.node('machine b')
  const a = await startTestGateway(onA)
  const b = await startTestGateway(onB)
  return {
    shared,
    a,
    b,
    nodeA: onA.cluster.node,
    nodeB: onB.cluster.node,
    async [Symbol.asyncDispose]() {
      await a[Symbol.asyncDispose]()
      await b[Symbol.asyncDispose]()
    },
  }
}

describe('two machines', () => {
  it('[I6] have an allow looked at once more where the agent runs, whichever gateway it came to', async () => {
    await using machines = await twoMachines()
    const { a, b } = machines
    const { agent } = await a.session()
    const { ask, outcome } = await a.openAsk(agent)
    await expect.poll(async () => (await b.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
    const reply = await b.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: ask.digest })
    expect(reply).toMatchObject({ status: 200, body: { outcome: { kind: 'allowed', via: 'api' } } })
    expect(await outcome).toMatchObject({ kind: 'allowed', by: { name: 'HOLDPOINT_TOKEN' } })
  })

  it('[I4] refuse such an allow with a sentence while that machine cannot be reached, and take a no', async () => {
    await using machines = await twoMachines()
    const { shared, nodeA, a, b } = machines
    const { agent } = await a.session()
    const { ask, outcome } = await a.openAsk(agent)
    await expect.poll(async () => (await b.api.openAsks()).length).toBe(1)
    shared.reach(nodeA, false)
    const refused = await b.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: ask.digest })
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'machine_unreachable' } } })
    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining('You can deny now.') } })
    const denied = await b.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'deny', digest: ask.digest })
    expect(denied.status).toBe(200)
    expect(await outcome).toMatchObject({ kind: 'denied' })
  })

  it('start no session on a machine that drains, and go on with those that it has', async () => {
    await using machines = await twoMachines()
    const { nodeB, a, b } = machines
    const start = () => a.api.call('POST', '/api/sessions', { agent: 'synthetic', cwd: b.dataDir, node: nodeB })
    const begun = (await start()).body as Session
    await a.api.ok('POST', `/api/machines/${nodeB}`, { isDraining: true })
    expect(await start()).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('takes no new sessions') } },
    })
    await expect.poll(async () => (await a.api.call('GET', `/api/sessions/${begun.id}`)).status).toBe(200)
    expect((await a.api.call('POST', `/api/sessions/${begun.id}/messages`, { text: 'hello' })).status).toBe(202)
    await a.api.ok('POST', `/api/machines/${nodeB}`, { isDraining: false })
    expect((await start()).status).toBe(201)
  })

  it('start, interrupt and configure a session on the machine that a person names', async () => {
    await using machines = await twoMachines()
    const { nodeB, a, b } = machines
    const started = await a.api.ok<Session>('POST', '/api/sessions', {
      agent: 'synthetic',
      cwd: b.dataDir,
      node: nodeB,
    })
    expect(started.node).toBe(nodeB)
    const agent = await b.synthetic.agentOf(started.id)
    await expect.poll(async () => (await a.api.call('GET', `/api/sessions/${started.id}`)).status).toBe(200)
    await a.api.ok('POST', `/api/sessions/${started.id}/messages`, { text: 'hello' })
    await expect.poll(() => agent.messages.length).toBe(1)
    await expect
      .poll(async () => (await a.api.call('GET', `/api/sessions/${started.id}`)).body)
      .toMatchObject({ state: 'assistant_turn' })
    await a.api.ok('POST', `/api/sessions/${started.id}/interrupt`)
    expect(agent.interrupts()).toBe(1)
    const mode = await a.api.call('POST', `/api/sessions/${started.id}/mode`, { permissionMode: 'plan' })
    expect(mode).toMatchObject({ status: 200, body: { permissionMode: 'plan' } })
    const folders = await a.api.call('GET', `/api/folders?node=${nodeB}&path=${encodeURIComponent(b.dataDir)}`)
    expect(folders.body).toMatchObject({ exists: true })
    const like = () => a.api.call('GET', `/api/folders/like?node=${nodeB}&path=/`)
    expect(await like()).toMatchObject({ status: 200, body: { folders: expect.arrayContaining(['/tmp']) } })
    machines.shared.reach(nodeB, false)
    expect((await like()).status).toBe(503)
  })

  it('[I8] do nothing for a device that has been revoked', async () => {
    await using machines = await twoMachines()
    const { a, b } = machines
    const owner = await b.credential({ role: 'owner' })
    const { agent } = await a.session()
    const { ask } = await a.openAsk(agent)
    await expect.poll(async () => (await owner.api.openAsks()).length).toBe(1)
    await b.gateway.devices.revoke(owner.device.id)
    const reply = await owner.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'deny', digest: ask.digest })
    expect(reply.status).toBe(401)
    expect((await a.api.openAsks()).length).toBe(1)
  })

  it('[I8] take an allow of a device that only the other one has heard of yet', async () => {
    await using machines = await twoMachines()
    const { shared, a, b } = machines
    const { agent } = await a.session()
    const { ask, outcome } = await a.openAsk(agent)
    await expect.poll(async () => (await b.api.openAsks()).length).toBe(1)
    const device = { id: 'dev_00000000000000000000000007', name: 'new', role: 'approver', kind: 'bearer' } as const
    const secret = newSecret()
    const at = { createdAt: Date.now(), lastSeenAt: Date.now() }
    await shared.store.records.put('devices', device.id, { ...device, ...at, secretHash: hashSecret(secret) })
    await b.gateway.devices.refresh(device.id)
    const api = apiClient(b.gateway.url, secret)
    const reply = await api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: ask.digest })
    expect(reply).toMatchObject({ status: 200, body: { outcome: { kind: 'allowed' } } })
    expect(await outcome).toMatchObject({ kind: 'allowed', by: { name: 'new' } })
  })

  it('T11 tell nobody of an ask that is not for them, also while its machine is away', async () => {
    await using machines = await twoMachines()
    const { shared, nodeA, a, b } = machines
    const { agent } = await a.session()
    const { session } = await b.session()
    const { ask } = await a.openAsk(agent)
    const { api } = await b.credential({ role: 'approver', sessionIds: [session.id] })
    await expect.poll(async () => (await b.api.openAsks()).length).toBe(1)
    shared.reach(nodeA, false)
    const absent = `${ask.id.slice(0, -4)}0000`
    for (const id of [ask.id, absent]) {
      expect((await api.call('GET', `/api/asks/${id}/rules`)).status).toBe(404)
      expect((await api.call('POST', `/api/asks/${id}/rules`, { scope: 'session' })).status).toBe(404)
    }
  })

  it('[I8] T12 make nothing that lasts for a device whose revocation has not been heard of yet', async () => {
    await using machines = await twoMachines()
    const { shared, a, b } = machines
    const owner = await b.credential({ role: 'owner' })
    const { session } = await b.session()
    const rule = { effect: 'allow', agent: '*', pattern: 'Bash(ls -l)', scope: { kind: 'everywhere' } }
    const calls = [
      ['/api/policy/rules', rule],
      ['/api/sessions', { agent: 'synthetic', cwd: b.dataDir }],
      [`/api/sessions/${session.id}/mode`, { permissionMode: 'bypassPermissions' }],
      [`/api/sessions/${session.id}/messages`, { text: 'go on' }],
    ] as const
    for (const [path, body] of calls) {
      const { device, api } = await b.credential({ role: 'owner' })
      await expect.poll(() => a.gateway.devices.knows(device.id)).toBe(true)
      // As another gateway removes it, and b hears nothing.
      await shared.store.records.remove('devices', device.id)
      expect(await api.call('POST', path, body)).toMatchObject({ status: 401 })
    }
    expect((await owner.api.call('POST', '/api/policy/rules', rule)).status).toBe(201)
  })

  describe('hand on what a person wants of an agent', () => {
    /** A credential that both know, and a session on the other machine than the one it calls. */
    async function calling(kind: 'browser' | 'bearer') {
      const shared = createMemoryCluster()
      const b = await startTestGateway(shared.node('machine b'))
      const owner = await b.credential({ role: 'owner' }, kind)
      const a = await startTestGateway(shared.node('machine a'))
      const { session } = await a.session()
      await expect.poll(async () => (await b.api.call('GET', `/api/sessions/${session.id}`)).status).toBe(200)
      const setMode = (permissionMode: string) =>
        owner.api.call('POST', `/api/sessions/${session.id}/mode`, { permissionMode }, owner.headers)
      return {
        a,
        owner,
        setMode,
        mode: async () => (await a.api.ok<Session>('GET', `/api/sessions/${session.id}`)).permissionMode,
        async [Symbol.asyncDispose]() {
          await a[Symbol.asyncDispose]()
          await b[Symbol.asyncDispose]()
        },
      }
    }

    it('also from a page', async () => {
      await using machines = await calling('browser')
      expect(await machines.setMode('plan')).toMatchObject({ status: 200, body: { permissionMode: 'plan' } })
    })

    it('[I8] but nothing for a device that only the other one knows to be revoked', async () => {
      await using machines = await calling('bearer')
      const { a, owner, setMode, mode } = machines
      expect((await setMode('plan')).status).toBe(200)
      await a.gateway.devices.revoke(owner.device.id)
      expect(await setMode('bypassPermissions')).toMatchObject({ status: 401 })
      expect(await mode()).toBe('plan')
    })
  })

  it('list themselves, and end the sessions of one that a person gives up', async () => {
    await using machines = await twoMachines()
    const { shared, nodeA, a, b } = machines
    const { session, agent } = await a.session()
    const { ask } = await a.openAsk(agent)
    await expect.poll(async () => (await b.api.openAsks()).length).toBe(1)
    const list = async () => (await b.api.ok<{ machines: object[] }>('GET', '/api/machines')).machines
    expect(await list()).toMatchObject([
      { id: nodeA, name: 'machine a', isReachable: true, isThis: false },
      { name: 'machine b', isThis: true },
    ])
    expect(await b.api.call('POST', `/api/machines/${nodeA}/give-up`)).toMatchObject({ status: 422 })
    shared.reach(nodeA, false)
    expect(await b.api.call('DELETE', `/api/machines/${nodeA}`)).toMatchObject({ status: 422 })
    expect(await b.api.ok('POST', `/api/machines/${nodeA}/give-up`)).toEqual({ sessions: 1 })
    expect(await b.store.ask(ask.id)).toMatchObject({ outcome: { kind: 'withdrawn', reason: 'orphaned' } })
    expect(await b.api.call('GET', `/api/sessions/${session.id}`)).toMatchObject({
      body: { state: 'dead', endReason: 'machine-given-up' },
    })
    await b.api.ok('POST', `/api/machines/${machines.nodeB}`, { name: 'the other one' })
    expect((await b.api.call('DELETE', `/api/machines/${nodeA}`)).status).toBe(204)
    expect(await list()).toMatchObject([{ name: 'the other one' }])
    await expect.poll(() => agent.stopped()).toBe('in time')
  })
})
