import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { startJudgingGateway } from '../judging-gateway.ts'
import { TEST_TOKEN } from '../test-gateway.ts'
import { type SharedWorld, twoGateways, twoOf } from './two-gateways.ts'

const SOON = { interval: 5 }
const DENY = { effect: 'deny', agent: '*', pattern: 'Bash(rm *)', scope: { kind: 'everywhere' } } as const
const ALLOW = { effect: 'allow', agent: '*', pattern: 'Bash(ls -l)', scope: { kind: 'everywhere' } } as const

/** What people set up holds on all machines, and what is of one machine stays there. */
export function settingsContract(name: string, world: () => Promise<SharedWorld>) {
  const judging = () => twoOf(world, startJudgingGateway)

  describe(`rules of several gateways, ${name}`, () => {
    it('hold at all of them from the commit on, and hold nowhere once they are removed', async () => {
      await using two = await judging()
      const { a, b } = two
      const rule = await a.addRule(DENY)
      await expect.poll(async () => (await b.policyState()).rules, SOON).toEqual([rule])
      expect(await b.bash('rm -r x')).toMatchObject({ kind: 'denied', via: 'rule' })
      const allow = await b.addRule(ALLOW)
      await expect.poll(async () => (await a.policyState()).rules.length, SOON).toBe(2)
      expect(await a.bash('ls -l')).toMatchObject({ kind: 'allowed', via: 'rule' })
      await b.api.call('DELETE', `/api/policy/rules/${allow.id}`)
      await expect.poll(async () => (await a.policyState()).rules.length, SOON).toBe(1)
      void a.bash('ls -l').catch(() => {})
      await expect.poll(async () => (await a.api.openAsks()).length, SOON).toBe(1)
    })

    it('T33 are changed by the first of two who have seen the same revision at different gateways', async () => {
      await using two = await judging()
      const { a, b } = two
      const { id } = await a.addRule(DENY)
      await expect.poll(async () => (await b.policyState()).rules.length, SOON).toBe(1)
      const change = (pattern: string) => ({ revision: 0, rule: { ...DENY, pattern } })
      expect(await a.api.call('POST', `/api/policy/rules/${id}`, change('Bash(rm)'))).toMatchObject({ status: 200 })
      expect(await b.api.call('POST', `/api/policy/rules/${id}`, change('Bash(ls)'))).toMatchObject({ status: 409 })
      await expect
        .poll(async () => (await b.policyState()).rules, SOON)
        .toMatchObject([{ pattern: 'Bash(rm)', revision: 1 }])
    })

    it('T61 of a session on one machine are not taken for those of an ended one at another', async () => {
      await using two = await judging()
      const { a, b } = two
      const scope = { kind: 'session', sessionId: a.session.id }
      await b.addRule({ ...DENY, scope: { kind: 'everywhere' } })
      const rule = await a.addRule({ ...DENY, scope })
      await expect.poll(async () => (await b.policyState()).rules.map(({ id }) => id), SOON).toContain(rule.id)
      await b.api.call('DELETE', `/api/sessions/${b.session.id}`)
      expect((await a.policyState()).rules.map(({ id }) => id)).toContain(rule.id)
      await a.api.call('DELETE', `/api/sessions/${a.session.id}`)
      await expect.poll(async () => (await b.policyState()).rules.length, SOON).toBe(1)
    })

    it('are counted on each machine, and the counts are added', async () => {
      await using two = await judging()
      const { a, b } = two
      const rule = await a.addRule(DENY)
      await expect.poll(async () => (await b.policyState()).rules.length, SOON).toBe(1)
      await a.bash('rm one')
      for (const file of ['two', 'three']) await b.bash(`rm ${file}`)
      await expect.poll(async () => (await b.policyState()).uses[rule.id]?.count, SOON).toBe(2)
      // What it has counted is written when it closes.
      await a.gateway.close()
      await expect.poll(async () => (await b.policyState()).uses[rule.id]?.count, SOON).toBe(3)
    })

    describe('of a policy file', () => {
      const fileOf = (dataDir: string, ...rules: readonly object[]) =>
        writeFile(join(dataDir, 'policy.json'), JSON.stringify({ rules }), { mode: 0o600 })
      const confirm = async ({ api }: { api: { ok<T>(m: string, p: string, b?: unknown): Promise<T> } }) => {
        const { file } = await api.ok<PolicyState>('GET', '/api/policy')
        await api.ok('POST', '/api/policy/file/confirm', { digest: file.waiting?.digest ?? '' })
      }

      it('T71 ask and deny on all machines, and allow on their own alone', async () => {
        await using two = await judging()
        const { a, b } = two
        await fileOf(a.dataDir, { effect: 'deny', pattern: 'Bash(rm *)' }, { effect: 'allow', pattern: 'Bash(ls -l)' })
        await confirm(a)
        expect((await a.policyState()).file.rules.length).toBe(2)
        await expect
          .poll(async () => (await b.policyState()).otherFiles, SOON)
          .toMatchObject([{ machine: { id: two.nodeA, name: 'machine a' }, file: { rules: [{ effect: 'deny' }] } }])
        expect(await b.bash('rm -r x')).toMatchObject({ kind: 'denied', via: 'rule' })
        expect(await a.bash('ls -l')).toMatchObject({ kind: 'allowed', via: 'rule' })
        void b.bash('ls -l').catch(() => {})
        await expect.poll(async () => (await b.api.openAsks()).length, SOON).toBe(1)
      })

      it('T71 that is broken on one machine changes nothing on another, which shows what is wrong', async () => {
        await using two = await judging()
        const { a, b } = two
        await fileOf(a.dataDir, { effect: 'deny', pattern: 'Bash(rm *)' })
        await a.policyState()
        await writeFile(join(a.dataDir, 'policy.json'), '{ rules', { mode: 0o600 })
        expect((await a.policyState()).file.error).toBeDefined()
        await expect
          .poll(async () => (await b.policyState()).otherFiles, SOON)
          .toMatchObject([{ file: { error: expect.any(String), rules: [{ effect: 'deny' }] } }])
        expect(await b.bash('rm -r x')).toMatchObject({ kind: 'denied', via: 'rule' })
        void b.bash('ls').catch(() => {})
        await expect.poll(async () => (await b.api.openAsks()).length, SOON).toBe(1)
      })
    })
  })

  describe(`settings of several gateways, ${name}`, () => {
    it('are seen and changed at all of them', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const limit = { kind: 'question', afterMs: 60_000, onTimeout: 'deny' }
      await a.api.ok('POST', '/api/time-limits', limit)
      await expect
        .poll(async () => (await b.api.ok<{ limits: object[] }>('GET', '/api/time-limits')).limits, SOON)
        .toEqual([limit])
      await b.api.ok('DELETE', '/api/time-limits?kind=question')
      await expect
        .poll(async () => (await a.api.ok<{ limits: object[] }>('GET', '/api/time-limits')).limits, SOON)
        .toEqual([])
      interface Notices {
        readonly publicKey: string
        readonly channels: readonly { readonly id: string; readonly name: string }[]
        readonly escalations: readonly object[]
      }
      const [noticesA, noticesB] = [a, b].map(
        ({ api }) =>
          () =>
            api.ok<Notices>('GET', '/api/notifications'),
      )
      const settings = { kinds: ['ask'], content: 'names' }
      const target = { type: 'webhook', url: 'https://a.example/hook' }
      const channel = { name: 'Ops', enabled: true, settings, target }
      const added = await a.api.call<{ channel: { id: string } }>('POST', '/api/notifications/channels', channel)
      expect(added).toMatchObject({ status: 201 })
      const { id } = added.body.channel
      await expect.poll(async () => (await noticesB?.())?.channels, SOON).toMatchObject([{ id, name: 'Ops' }])
      const escalation = { afterMinutes: 5, to: [id], inQuietHours: false }
      await b.api.ok('POST', '/api/notifications/escalations', { escalations: [escalation] })
      await expect.poll(async () => (await noticesA?.())?.escalations, SOON).toEqual([escalation])
      await b.api.call('DELETE', `/api/notifications/channels/${id}`)
      await expect.poll(async () => (await noticesA?.())?.channels, SOON).toEqual([])
      expect((await noticesA?.())?.publicKey).toBe((await noticesB?.())?.publicKey)
    })

    it('T12 subscriptions of a device that is revoked at one gateway are gone at all', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const phone = await a.credential({ role: 'owner' }, 'browser')
      const keys = { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) }
      const subscription = { endpoint: 'https://push.example/one', keys }
      const body = { subscription, settings: { kinds: ['ask'], content: 'names' } }
      const { records } = a.store
      const subscribed = await phone.api.call('POST', '/api/notifications/device', body, phone.headers)
      expect(subscribed).toMatchObject({ status: 200 })
      const listed = async () =>
        (await b.api.ok<{ devices: { deviceId: string }[] }>('GET', '/api/notifications')).devices
      await expect.poll(listed, SOON).toMatchObject([{ deviceId: phone.device.id }])
      await b.gateway.devices.revoke(phone.device.id)
      expect(await listed()).toEqual([])
      await expect.poll(() => records.list('push-subscriptions'), SOON).toEqual([])
    })
  })

  describe(`what is of one machine, ${name}`, () => {
    const trusted = async ({ api }: { api: { ok<T>(m: string, p: string): Promise<T> } }) =>
      (await api.ok<{ folders: TrustedFolder[] }>('GET', '/api/folders/trusted')).folders

    it('T34 a folder is trusted on the machine where somebody looked at it, and listed and revoked at any', async () => {
      await using two = await twoGateways(world)
      const { a, b, nodeA } = two
      // The same path on both: other machines have other files there.
      const cwd = join(a.dataDir, 'project')
      await mkdir(cwd)
      const { session, agent } = await a.session({ cwd, trust: true })
      expect(session.trusted).toBe(true)
      expect((await b.session({ cwd })).session.trusted).toBe(false)
      const machine = { id: nodeA, name: 'machine a' }
      for (const each of [a, b]) expect(await trusted(each)).toMatchObject([{ path: cwd, trusted: true, machine }])
      const path = `/api/folders/trusted?path=${encodeURIComponent(cwd)}`
      expect((await b.api.call('DELETE', path)).status).toBe(404)
      expect((await b.api.call('DELETE', `${path}&node=${nodeA}`)).status).toBe(204)
      await expect.poll(() => agent.stopped(), SOON).toBe('now')
      expect(await a.api.ok<Session>('GET', `/api/sessions/${session.id}`)).toMatchObject({ trusted: false })
      expect(await trusted(b)).toEqual([])
    })

    it('a file that came in at one gateway is served by all, and given to agents of all', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const text = 'x'.repeat(700_000)
      const type = { 'content-type': 'text/plain' }
      const { id } = (await a.api.call<{ id: string }>('POST', '/api/attachments', text, type)).body
      const read = await fetch(`${b.gateway.url}/api/attachments/${id}`, {
        headers: { authorization: `Bearer ${TEST_TOKEN}` },
      })
      expect(await read.text()).toBe(text)
      const { session, agent } = await b.session()
      await a.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'look', attachments: [id] })
      await expect.poll(() => agent.messages, SOON).toMatchObject([{ text: 'look', attachments: [id] }])
      expect((await b.gateway.attachments.read(id as never))?.bytes.toString()).toBe(text)
    })

    it('a start that is sent again to another gateway under its key is done once', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const start = { agent: 'synthetic', cwd: a.dataDir }
      const send = ({ api }: typeof a, body: object, key: string) =>
        api.call<Session>('POST', '/api/sessions', body, { 'idempotency-key': key })
      const replies = await Promise.all([a, b, a].map((each) => send(each, start, 'one')))
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
      expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
      expect((await send(a, start, 'two')).status).toBe(201)
      const mismatch = { error: { code: 'retry_mismatch' } }
      expect((await send(b, { ...start, title: 'Another' }, 'two')).body).toMatchObject(mismatch)
    })

    it('of two starts under one key at two gateways at once one is made, and the other is refused', async () => {
      await using two = await twoGateways(world)
      const { a, b } = two
      const { device } = await a.credential({ role: 'owner' })
      await expect.poll(() => b.gateway.devices.knows(device.id), SOON).toBe(true)
      const start = ({ gateway }: typeof a, prompt: string) =>
        gateway.direct(device.id).call({
          method: 'POST',
          path: '/api/sessions',
          contentType: 'application/json',
          body: Buffer.from(JSON.stringify({ agent: 'synthetic', cwd: a.dataDir, prompt })),
          idempotencyKey: 'one',
          signal: AbortSignal.timeout(10_000),
        })
      const replies = await Promise.all([start(a, 'this'), start(b, 'that')])
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 422])
    })

    it('each has a credential for its own terminals', async () => {
      await using two = await twoGateways(world)
      const devices = (await two.a.api.ok<{ devices: { name: string }[] }>('GET', '/api/devices')).devices
      expect(devices.map(({ name }) => name).sort()).toEqual([
        'HOLDPOINT_TOKEN',
        'Terminals on machine a',
        'Terminals on machine b',
      ])
    })
  })
}
