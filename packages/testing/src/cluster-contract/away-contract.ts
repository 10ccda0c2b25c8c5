import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ask } from '@holdpoint/schema/ask'
import type { TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { apiClient } from '../api-client.ts'
import { startJudgingGateway } from '../judging-gateway.ts'
import { type LosingWorld, twoGateways, twoOf } from './two-gateways.ts'

const SOON = { interval: 5 }
const ALLOW = { effect: 'allow', agent: '*', pattern: 'Bash(ls -l)', scope: { kind: 'everywhere' } } as const

/** What can be done at one gateway while another one cannot be reached. */
export function awayContract(name: string, world: () => Promise<LosingWorld>) {
  describe(`while a machine is away, ${name}`, () => {
    it('T71 rules of a policy file whose record cannot be read keep every machine asking, until its machine is forgotten', async () => {
      await using two = await twoOf(world, startJudgingGateway)
      const { a, b, nodeA, world: shared } = two
      await b.addRule(ALLOW)
      await a.store.records.put('policy-file', nodeA, { rules: 'of a newer version' })
      void b.bash('ls -l').catch(() => {})
      await expect.poll(async () => (await b.api.openAsks()).length, SOON).toBe(1)
      await shared.reach(nodeA, false)
      await b.api.ok('POST', `/api/machines/${nodeA}/give-up`)
      expect((await b.api.call('DELETE', `/api/machines/${nodeA}`)).status).toBe(204)
      expect(await b.bash('ls -l')).toMatchObject({ kind: 'allowed', via: 'rule' })
    })

    it('T34 a folder of a machine that cannot be reached can be revoked, and its agents lose it', async () => {
      await using two = await twoGateways(world)
      const { a, b, nodeA, world: shared } = two
      const cwd = join(a.dataDir, 'project')
      await mkdir(cwd)
      const { agent } = await a.session({ cwd, trust: true })
      await shared.reach(nodeA, false)
      expect((await b.api.ok<{ folders: TrustedFolder[] }>('GET', '/api/folders/trusted')).folders).toMatchObject([
        { path: cwd, trusted: false, reason: 'Its machine cannot be reached.' },
      ])
      const path = `/api/folders/trusted?path=${encodeURIComponent(cwd)}&node=${nodeA}`
      expect((await b.api.call('DELETE', path)).status).toBe(204)
      await expect.poll(() => agent.stopped(), SOON).toBe('now')
    })

    it('F44 a program has the same asks at every gateway, also while the machine of its session is away', async () => {
      await using two = await twoGateways(world)
      const { a, b, nodeA, world: shared } = two
      const { secret, device } = await a.credential({ role: 'raiser' })
      await expect.poll(() => b.gateway.devices.knows(device.id), SOON).toBe(true)
      const raise = ({ gateway }: typeof a, requestId: string) =>
        apiClient(gateway.url, secret).call<Ask>('POST', '/api/asks', {
          program: { key: 'deploy-1.4', title: 'deploy.sh' },
          requestId,
          kind: 'question',
          title: 'Deploy 1.4?',
          questions: [{ question: 'Deploy 1.4?', options: [{ label: 'yes' }, { label: 'no' }] }],
          context: { cwd: '/srv/app' },
        })
      const first = await raise(a, 'first')
      expect(first).toMatchObject({ status: 201 })
      expect((await raise(b, 'first')).body.id).toBe(first.body.id)
      await shared.reach(nodeA, false)
      await expect.poll(async () => (await raise(b, 'first')).body.id, SOON).toBe(first.body.id)
      const second = await raise(b, 'second')
      expect(second).toMatchObject({ status: 201, body: { sessionId: first.body.sessionId } })
      await shared.reach(nodeA, true)
      expect((await raise(a, 'second')).body.id).toBe(second.body.id)
      // Its session is begun anew where it was.
      await apiClient(b.gateway.url, secret).call('POST', '/api/asks/leave', { key: 'deploy-1.4' })
      const session = () => b.api.ok<Session>('GET', `/api/sessions/${first.body.sessionId}`)
      await expect.poll(async () => (await session()).state, SOON).toBe('dead')
      expect(await raise(b, 'third')).toMatchObject({ status: 201, body: { epoch: 2 } })
      expect((await session()).node).toBe(nodeA)
    })
  })
}
