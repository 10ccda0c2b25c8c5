import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { residentBytes } from '../../processes/processes.ts'
import { CONTROLLED, createHostFixture, ECHO, listen, openRaw, spawnScript, until } from '../fixtures/host-fixture.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const fixture = createHostFixture()

const initialize = (id: string) =>
  JSON.stringify({ type: 'control_request', request_id: id, request: { subtype: 'initialize' } })
const request = (id: string) => ({ type: 'control_request', request_id: id, request: { subtype: 'can_use_tool' } })
const cancel = (id: string) => ({ type: 'control_cancel_request', request_id: id })
const response = (id: string) =>
  JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: id } })
const say = (uuid: string, ...print: unknown[]) => JSON.stringify({ type: 'user', uuid, print })

async function takeOver(dataDir: string, after: number) {
  const client = await fixture.connect(dataDir)
  const agent = await client.attach({ key: 'agent', after })
  if (!agent) throw new Error('the host has lost the agent')
  return { client, agent, ...listen(agent) }
}

describe('a gateway that takes over', () => {
  it('gets exactly the lines that were not acknowledged, then the new ones', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: ECHO })
    const { lines } = listen(agent)
    for (const line of ['one', 'two', 'three', 'four']) await agent.write(line)
    await until(() => lines.length === 4, 'four lines')
    agent.ack(1)
    first.close()
    expect(await first.closed).toBeUndefined()
    expect(await agent.exit).toMatchObject({ problem: 'host-gone' })

    const second = await takeOver(dataDir, 2)
    expect(second.client.agents()).toEqual([{ key: 'agent', pid: agent.pid, startedAt: expect.any(Number), lines: 4 }])
    expect(second.agent).toMatchObject({ pid: agent.pid, attached: { open: [], answered: [], uuids: [] } })
    await second.agent.write('five')
    await until(() => second.lines.length === 3, 'three lines')
    expect(second.lines.map(({ n, line }) => [n, line])).toEqual([
      [3, 'three'],
      [4, 'four'],
      [5, 'five'],
    ])
  })

  it('hears what ran while nobody was there, though the agent did not wait for it', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: CONTROLLED })
    const { lines } = listen(agent)
    const input = { hook_event_name: 'PostToolUse', tool_use_id: 'tool' }
    const report = { type: 'control_request', request_id: 'hook', request: { subtype: 'hook_callback', input } }
    await agent.write(say('one', report))
    // Answered by the host itself; the gateway's own answer, a moment later, is one too many.
    await until(() => lines.some(({ line }) => line.includes('"heard"') && line.includes('"hook"')), 'the answer')
    expect(await agent.write(response('hook'))).toEqual({ dropped: true })
    first.close()

    const second = await takeOver(dataDir, 0)
    expect(second.agent.attached?.open).toEqual([])
    await until(() => second.text().includes(JSON.stringify(report)), 'the report')
  })

  it('finds the end of an agent that ended in between, after its lines, until it is forgotten', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: `console.log('a'); process.exit(4)` })
    await agent.exit
    first.close()
    const second = await takeOver(dataDir, 0)
    expect(second.client.agents()[0]?.exit).toMatchObject({ code: 4 })
    expect(second.agent.attached?.exit).toMatchObject({ code: 4 })
    expect(await second.agent.exit).toEqual({ code: 4, signal: null, stderrTail: '' })
    expect(second.text()).toEqual(['a'])
    second.agent.forget()
    expect(await second.client.attach({ key: 'agent', after: 0 })).toBeUndefined()
  })

  it('replaces the one before: whoever waits there is told', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: ECHO })
    const second = await takeOver(dataDir, 0)
    expect(await first.closed).toMatchObject({ code: 'replaced' })
    expect(await agent.exit).toMatchObject({ problem: 'replaced' })
    await expect(agent.write('late')).rejects.toMatchObject({ code: 'replaced' })
    await second.agent.write('mine')
    await until(() => second.text().includes('mine'), 'the echo')
    expect(second.text()).toEqual(['mine'])
  })

  it('does not find half a line of a gateway that was killed while writing (F1)', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    await spawnScript(first, { script: ECHO })
    first.close()
    const whole = JSON.stringify({ t: 'write', id: 1, key: 'agent', line: 'whole' })
    const half = JSON.stringify({ t: 'write', id: 2, key: 'agent', line: 'half' }).slice(0, -3)
    const gateway = spawn(process.execPath, [
      '-e',
      `const socket = require('node:net').connect(${JSON.stringify(join(dataDir, 'host.sock'))})
       socket.write(${JSON.stringify(`{"t":"hello","versions":[2]}\n${whole}\n${half}`)}, () => console.log('written'))
       setInterval(() => {}, 1000)`,
    ])
    await new Promise((resolve) => gateway.stdout.once('data', resolve))
    gateway.kill('SIGKILL')
    await new Promise((resolve) => gateway.once('close', resolve))
    const { agent, text } = await takeOver(dataDir, 0)
    await agent.write('after')
    await until(() => text().includes('after'), 'the echo')
    expect(text()).toEqual(['whole', 'after'])
  })
})

describe('requests of the agent over a change of gateways', () => {
  it('are delivered again once initialize was answered, if they are still open (I5)', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: CONTROLLED })
    const { lines, answered } = listen(agent)
    await agent.write(
      say('u1', request('answered'), request('cancelled'), request('open'), cancel('cancelled'), { plain: 1 }),
    )
    await until(() => lines.length === 6, 'six lines')
    expect(await agent.write(response('answered'))).toEqual({ dropped: false })
    await until(() => answered.length === 1, 'the delivery')
    expect(answered).toEqual(['answered'])
    first.close()

    const { agent: again, ...second } = await takeOver(dataDir, 0)
    expect(again.attached).toEqual({ open: ['open'], answered: ['answered'], uuids: ['u1'], folders: {} })
    // More output comes by before initialize, a new request included: it is passed on, the old one still is not.
    await again.write(say('u2', request('new')))
    await until(() => second.text().includes(JSON.stringify(request('new'))), 'the new request')
    expect(second.text()).not.toContain(JSON.stringify(request('open')))
    await again.write(initialize('init'))
    await until(() => second.text().includes(JSON.stringify(request('open'))), 'the old request')
    const types = second.lines.map(({ n, line, replay }) => {
      const value = JSON.parse(line)
      return [n, value.type ?? 'plain', value.request_id ?? value.response?.request_id, replay]
    })
    expect(types.filter(([, type]) => type !== 'heard')).toEqual([
      [6, 'plain', undefined, false],
      [9, 'control_request', 'new', false],
      [10, 'control_response', 'init', false],
      [4, 'control_request', 'open', true],
    ])
    expect(await again.write(response('open'))).toEqual({ dropped: false })
    await until(() => second.answered.includes('open'), 'the delivery')
  })

  it('take one answer each: a second one, one too late and one unasked never reach the agent (I1, I5)', async () => {
    const dataDir = await fixture.dataDir()
    const first = await fixture.connect(dataDir)
    const agent = await spawnScript(first, { script: CONTROLLED })
    const { text } = listen(agent)
    await agent.write(say('u1', request('a'), request('b'), cancel('b')))
    await until(() => text().length === 4, 'the requests')
    const writes = [response('a'), response('a'), response('b'), response('c'), say('u1')].map((line) =>
      agent.write(line),
    )
    expect((await Promise.all(writes)).map(({ dropped }) => dropped)).toEqual([false, true, true, true, true])
    first.close()
    const { agent: again, text: after } = await takeOver(dataDir, 4)
    expect(await again.write(response('a'))).toEqual({ dropped: true })
    expect(await again.write(say('u1'))).toEqual({ dropped: true })
    await again.write(say('u2'))
    await until(() => after().some((line) => line.includes('u2')), 'the message')
    const heard = after().map((line) => JSON.parse(line).message)
    expect(heard).toEqual([JSON.parse(response('a')), JSON.parse(say('u2'))])
  })
})

describe('output that nobody acknowledges', () => {
  const LINES = 4096
  const WRITER = `
    const line = (n) => String(n).padEnd(16 * 1024 - 1, '.') + '\\n'
    let n = 0
    const on = () => { if (n < ${LINES}) { n += 1; process.stdout.write(line(n), on) } else process.exit(0) }
    on()`

  /** It stands still when two looks half a second apart see the same. */
  function standStill(lines: readonly unknown[]): Promise<void> {
    let seen = 0
    return until(async () => {
      seen = lines.length
      await new Promise((resolve) => setTimeout(resolve, 500))
      return seen > 0 && lines.length === seen
    }, 'the output to stand still')
  }

  it('is held back in the agent, not in the host, and none of it is lost (I10)', async () => {
    const client = await fixture.connect(await fixture.dataDir())
    const before = await residentBytes(client.pid)
    const agent = await spawnScript(client, { script: WRITER })
    const numbers: number[] = []
    let acknowledging = false
    agent.onLine((n, line) => {
      expect(line).toHaveLength(16 * 1024 - 1)
      numbers.push(Number.parseInt(line, 10))
      if (acknowledging) agent.ack(n)
    })
    await standStill(numbers)
    expect(numbers.length * 16 * 1024).toBeLessThan(6 * 1024 * 1024)
    expect((await residentBytes(client.pid)) - before).toBeLessThan(48 * 1024 * 1024)
    acknowledging = true
    agent.ack(numbers.length)
    expect(await agent.exit).toMatchObject({ code: 0 })
    expect(numbers).toEqual(Array.from({ length: LINES }, (_, index) => index + 1))
  })

  it('does not pile up in the host when the gateway stops reading', async () => {
    const dataDir = await fixture.dataDir()
    const client = await fixture.connect(dataDir)
    const before = await residentBytes(client.pid)
    const { lines: first } = listen(await spawnScript(client, { script: WRITER }))
    await standStill(first)
    const { socket } = await openRaw(dataDir)
    socket.pause()
    const attach = '{"t":"attach","id":1,"key":"agent","after":0}\n'
    // One write, read by the host in one piece: when the takeover is known, all of it has been dealt with.
    socket.write(`{"t":"hello","versions":[2]}\n${attach.repeat(100)}`)
    expect(await client.closed).toMatchObject({ code: 'replaced' })
    expect((await residentBytes(client.pid)) - before).toBeLessThan(100 * 1024 * 1024)

    const agent = await (await fixture.connect(dataDir)).attach({ key: 'agent', after: 0 })
    const numbers: number[] = []
    agent?.onLine((n) => {
      numbers.push(n)
      agent.ack(n)
    })
    expect(await agent?.exit).toMatchObject({ code: 0 })
    expect(numbers).toEqual(Array.from({ length: LINES }, (_, index) => index + 1))
    socket.destroy()
  })
})
