import { connect } from 'node:net'
import type { HistoryDetail, HistoryEntry } from '@holdpoint/schema/endpoints/history'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

interface Page {
  readonly entries: readonly HistoryEntry[]
  readonly next?: number
}

const bash = (command: string) => ({
  title: `Bash: ${command}`,
  tool: { name: 'Bash', input: { command } },
  context: { cwd: '/', command },
})

/** Two sessions; in the first `git status` was allowed and `=cmd` denied, in the second `npm test` allowed. */
async function settled(test: TestGateway) {
  const first = await test.session({ title: 'First' })
  const second = await test.session({ title: 'Second' })
  const settle = async (agent: typeof first.agent, command: string, answer: Record<string, unknown>) => {
    const { ask, outcome } = await test.openAsk(agent, bash(command))
    await test.api.call('POST', `/api/asks/${ask.id}/seen`)
    await test.api.answer(ask, { kind: 'allow', ...answer })
    await outcome
    return ask
  }
  const status = await settle(first.agent, 'git status', {})
  const formula = await settle(first.agent, '=cmd|x', { kind: 'deny', message: 'Not "this", please' })
  const npm = await settle(second.agent, 'npm test', {})
  return { first: first.session, second: second.session, status, formula, npm }
}

const titles = ({ entries }: Page) => entries.map(({ ask }) => ask.title)

describe('the history', () => {
  it('is searched by words, tool, outcome and more, in pages', async () => {
    await using test = await startTestGateway()
    const { first, status } = await settled(test)
    const search = (query: string) => test.api.ok<Page>('GET', `/api/history?${query}`)
    expect(titles(await search(''))).toEqual(['Bash: npm test', 'Bash: =cmd|x', 'Bash: git status'])
    expect(titles(await search('text=GIT%20stat'))).toEqual(['Bash: git status'])
    expect(titles(await search('text=please'))).toEqual(['Bash: =cmd|x'])
    expect(titles(await search('outcome=denied&tool=Bash'))).toEqual(['Bash: =cmd|x'])
    expect(titles(await search('tool=Edit'))).toEqual([])
    const one = await search('limit=1')
    expect(titles(await search(`limit=1&next=${one.next}`))).toEqual(['Bash: =cmd|x'])
    const [entry] = (await search('text=git')).entries
    expect(entry).toMatchObject({ project: first.cwd, sessionTitle: 'First', ask: { id: status.id } })
    expect(entry?.ask.outcome).toMatchObject({ kind: 'allowed' })
    expect((await test.api.call('GET', '/api/history?outcome=maybe')).status).toBe(422)
  })

  it('says of an ask who saw it, and where it stands in the hash chain', async () => {
    await using test = await startTestGateway()
    const { status, first } = await settled(test)
    const detail = await test.api.ok<HistoryDetail>('GET', `/api/history/${status.id}`)
    expect(detail.sightings).toMatchObject([{ by: { role: 'owner' } }])
    expect(detail).toMatchObject({ sessionTitle: 'First', project: first.cwd })
    expect(detail.chain.settled?.hash).toBe(await test.store.hashAt(detail.chain.settled?.seq ?? 0))
    const newest = (await test.store.events({ after: 0, sessionId: first.id, limit: 1000 })).at(-1)
    expect(detail.chain.head).toEqual({ sessionSeq: newest?.sessionSeq, hash: newest?.hash })
  })

  it('T11 shows a credential for some sessions nothing of others', async () => {
    await using test = await startTestGateway()
    const { first, npm } = await settled(test)
    const { api } = await test.credential({ role: 'viewer', sessionIds: [first.id] })
    expect(titles(await api.ok<Page>('GET', '/api/history'))).toEqual(['Bash: =cmd|x', 'Bash: git status'])
    expect((await api.call('GET', `/api/history/${npm.id}`)).status).toBe(404)
    const { projects } = await api.ok<{ projects: string[] }>('GET', '/api/history/choices')
    expect(projects).toEqual([first.cwd])
    const raiser = await test.credential({ role: 'raiser' })
    for (const path of ['', '/choices', '/export?format=csv', `/${npm.id}`]) {
      expect((await raiser.api.call('GET', `/api/history${path}`)).status).toBe(403)
    }
  })

  it('T11 is exported for a credential for some sessions without others', async () => {
    await using test = await startTestGateway()
    const { first } = await settled(test)
    const { headers } = await test.credential({ role: 'viewer', sessionIds: [first.id] })
    const lines = await exported(test, 'jsonl', headers)
    expect(lines.filter((line) => line !== '').map((line) => Object.keys(JSON.parse(line) as object)[0])).toEqual([
      'ask',
      'ask',
      'session',
    ])
  })

  it('is exported as a line of JSON for each ask, with the newest hash of each session at the end', async () => {
    await using test = await startTestGateway()
    const { first, second, status } = await settled(test)
    const [, , oldest, ...heads] = (await exported(test, 'jsonl')).map(
      (line) => JSON.parse(line || 'null') as Record<string, unknown>,
    )
    expect(oldest).toMatchObject({ ask: { ...status, outcome: { kind: 'allowed' } }, project: first.cwd })
    expect(oldest).toMatchObject({ sightings: [{ by: { role: 'owner' } }], chain: { hash: expect.any(String) } })
    expect(heads.filter((line) => line !== null).map(({ session }) => session)).toEqual([second.id, first.id])
    const newest = (await test.store.events({ after: 0, sessionId: second.id, limit: 1000 })).at(-1)
    expect(heads[0]).toMatchObject({ head: { hash: newest?.hash } })
  })

  it('is exported as a table in which nothing is taken for a formula', async () => {
    await using test = await startTestGateway()
    await settled(test)
    const [head, , formula] = await exported(test, 'csv')
    expect(head).toMatch(/^"settled","raised","waited seconds","outcome"/)
    expect(formula).toContain(`"Not ""this"", please"`)
    expect(formula).toContain(`"'=cmd|x"`)
  })

  it('T44 is exported with secrets masked, and kept whole in the record', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const secret = `ghp_${'aB3dE5fG7h'.repeat(4)}`
    const { ask, outcome } = await test.openAsk(agent, bash(`curl -H 'Authorization: token ${secret}' x`))
    await test.api.answer(ask, { kind: 'deny', message: `Not with ${secret}` })
    await outcome
    for (const format of ['jsonl', 'csv']) {
      const text = (await exported(test, format)).join('\n')
      expect(text).toContain('[redacted]')
      expect(text).not.toContain(secret)
    }
    const detail = await test.api.ok<HistoryDetail>('GET', `/api/history/${ask.id}`)
    expect(detail.ask.tool?.input).toEqual(ask.tool?.input)
  })

  it('T44 is exported without a secret that only the name of its field gives away', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const tool = { name: 'mcp__db__connect', input: { user: 'root', password: 'correcthorsebatterystaple' } }
    const { ask, outcome } = await test.openAsk(agent, { tool, context: { cwd: '/' } })
    expect(ask.remember?.rule).toContain('correcthorse')
    await test.api.answer(ask, { kind: 'allow', remember: { scope: 'session', rule: ask.remember?.rule } })
    await outcome
    for (const format of ['jsonl', 'csv']) {
      expect((await exported(test, format)).join('\n')).not.toContain('correcthorse')
    }
  })

  it('names the machine where there are several, in lists, details and exports, and is searched by it', async () => {
    const shared = createMemoryCluster()
    const [desk, build, third] = [shared.node('desk'), shared.node('build'), shared.node('third')]
    await using test = await startTestGateway(desk)
    await using there = await startTestGateway(build)
    const { agent } = await there.session({ title: 'Nightly' })
    const { ask, outcome } = await there.openAsk(agent, bash('make'))
    await there.api.answer(ask, { kind: 'allow' })
    await outcome
    const { status } = await settled(test)
    const on = async (machine: string) => titles(await test.api.ok<Page>('GET', `/api/history?machine=${machine}`))
    expect(await on(build.cluster.node)).toEqual(['Bash: make'])
    expect(await on(desk.cluster.node)).toHaveLength(3)
    const entry = (await test.api.ok<Page>('GET', '/api/history?text=make')).entries[0]
    const machine = { id: build.cluster.node, name: 'build' }
    expect(entry).toMatchObject({ machine, sessionTitle: 'Nightly' })
    expect(await test.api.ok('GET', `/api/history/${ask.id}`)).toMatchObject({ machine })
    const [, , , line] = await exported(test, 'jsonl')
    expect(JSON.parse(line ?? '')).toMatchObject({ ask: { id: ask.id }, machine })
    const table = await exported(test, 'csv')
    expect(table[0]).toMatch(/,"machine","machine id"$/)
    expect(table[4]?.endsWith(`,"build","${build.cluster.node}"`)).toBe(true)

    // What was recorded there stays, without a name once it is forgotten.
    shared.reach(build.cluster.node, false)
    await desk.cluster.forget(build.cluster.node)
    expect((await test.api.ok<HistoryDetail>('GET', `/api/history/${ask.id}`)).machine).toEqual({
      id: build.cluster.node,
    })
    shared.reach(third.cluster.node, false)
    await desk.cluster.forget(third.cluster.node)
    expect(await test.api.ok('GET', `/api/history/${status.id}`)).not.toHaveProperty('machine')
    expect((await exported(test, 'csv'))[0]).not.toContain('machine')
  })

  it('F58 is exported no faster than it is read', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const PIECE = 1_500_000
    for (let n = 0; n < 8; n++) {
      const tool = { name: 'Write', input: { content: `${n}`.padEnd(PIECE, 'x') } }
      const { ask, outcome } = await test.openAsk(agent, { tool })
      await test.api.answer(ask, { kind: 'deny' })
      await outcome
    }
    let reads = 0
    const { askTrail } = test.store
    test.store.askTrail = (id) => {
      reads++
      return askTrail.call(test.store, id)
    }
    const { port } = new URL(test.gateway.url)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    socket.pause()
    socket.write(
      `GET /api/history/export?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TEST_TOKEN}\r\n\r\n`,
    )
    await until(() => reads > 0, 'the first ask')
    // Whatever the kernel takes: some megabytes, not all of them.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(reads).toBeLessThan(8)
    let taken = 0
    socket.on('data', (bytes) => {
      taken += bytes.length
    })
    socket.resume()
    await until(() => taken > 8 * PIECE, 'all of it')
    socket.destroy()
  })
})

async function exported(test: TestGateway, format: string, headers?: Record<string, string>): Promise<string[]> {
  const response = await fetch(`${test.gateway.url}/api/history/export?format=${format}`, {
    headers: headers ?? { authorization: `Bearer ${TEST_TOKEN}` },
  })
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="holdpoint-history.${format}"`)
  return (await response.text()).split(/\r?\n/)
}
