import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import {
  type BuiltGateway,
  beginCommand,
  type RunningCommand,
  runCommand,
  startBuiltGateway,
} from '@holdpoint/testing/built-gateway'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ASK_EXIT } from './ask/ask-exit.ts'

const YES_NO = ['--option', 'yes', '--option', 'no']

async function openAsk(gateway: BuiltGateway, title: string): Promise<Ask> {
  return until(async () => (await gateway.api.openAsks()).find((ask) => ask.title === title), `the ask "${title}"`)
}
const choose = (gateway: BuiltGateway, ask: Ask, label: string) =>
  gateway.api.answer(ask, { kind: 'answer', answers: [{ question: 0, selected: [label] }] })
const waits = (command: RunningCommand) =>
  until(() => command.output.stderr.includes('Waiting for an answer'), 'it to wait')

/** Where nobody listens any more. */
async function silentAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return `http://127.0.0.1:${port}`
}

/** The program in dist/, as scripts run it. */
describe('holdpoint ask', () => {
  let gateway: BuiltGateway

  beforeAll(async () => {
    gateway = await startBuiltGateway()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  it('exits with 0 for the first option and prints it alone; people see who asks, where, and until when', async () => {
    const asking = gateway.begin(['ask', 'Deploy 1.4?', ...YES_NO, '--timeout', '2h', '--from', 'deploy.sh'])
    const ask = await openAsk(gateway, 'Deploy 1.4?')
    expect(ask.expiresAt).toBe(ask.raisedAt + 7_200_000)
    expect(ask.context.cwd).toBe(process.cwd())
    const session = await gateway.api.ok<Session>('GET', `/api/sessions/${ask.sessionId}`)
    expect(session).toMatchObject({ agent: 'program', title: 'deploy.sh' })
    await waits(asking)
    expect(asking.output.stderr).toContain(`${gateway.url}/asks/${ask.id} until `)
    await choose(gateway, ask, 'yes')
    expect(await asking.exited).toMatchObject({ code: ASK_EXIT.first, stdout: 'yes\n' })
    const over = async () => (await gateway.api.ok<Session>('GET', `/api/sessions/${ask.sessionId}`)).state === 'dead'
    await until(over, 'the session to be over')
  })

  it('exits with 1 for another option, and for a person’s own words in its place', async () => {
    const another = gateway.begin(['ask', 'Deploy 1.5?', ...YES_NO, '--json'])
    const ask = await openAsk(gateway, 'Deploy 1.5?')
    await choose(gateway, ask, 'no')
    const { code, stdout } = await another.exited
    expect(code).toBe(ASK_EXIT.another)
    expect(JSON.parse(stdout)).toMatchObject({ id: ask.id, status: 'answered', answer: 'no', option: 2 })

    const own = gateway.begin(['ask', 'Deploy 1.6?', ...YES_NO])
    const answers = [{ question: 0, selected: [], other: 'after lunch' }]
    await gateway.api.answer(await openAsk(gateway, 'Deploy 1.6?'), { kind: 'answer', answers })
    expect(await own.exited).toMatchObject({ code: ASK_EXIT.another, stdout: 'after lunch\n' })
  })

  it('exits with 0 for an answer in a person’s own words where there are no options', async () => {
    const asking = gateway.begin(['ask', 'Which name?', '--detail', 'One word.\nNo blanks.'])
    const ask = await openAsk(gateway, 'Which name?')
    expect(ask.questions).toEqual([
      { question: 'Which name?\n\nOne word.\nNo blanks.', options: [], multiSelect: false },
    ])
    await gateway.api.answer(ask, { kind: 'answer', answers: [{ question: 0, selected: [], other: 'Fritz' }] })
    expect(await asking.exited).toMatchObject({ code: ASK_EXIT.first, stdout: 'Fritz\n' })
  })

  it('exits with 2 where a person skips it, and where one ends it', async () => {
    const skipped = gateway.begin(['ask', 'Skip?', ...YES_NO])
    await gateway.api.answer(await openAsk(gateway, 'Skip?'), { kind: 'cancel' })
    expect(await skipped.exited).toMatchObject({
      code: ASK_EXIT.refused,
      stdout: '',
      stderr: expect.stringContaining('Skipped by "'),
    })

    const ended = gateway.begin(['ask', 'End?', ...YES_NO, '--json'])
    const { sessionId } = await openAsk(gateway, 'End?')
    await gateway.api.call('DELETE', `/api/sessions/${sessionId}`)
    const { code, stdout } = await ended.exited
    expect(code).toBe(ASK_EXIT.refused)
    expect(JSON.parse(stdout).status).toBe('withdrawn')
  })

  it('[F12] exits with 3 when it has expired at the gateway, which is not told as a no', async () => {
    const expired = await gateway.command([
      'ask',
      'Anybody?',
      ...YES_NO,
      '--timeout',
      '1s',
      '--json',
      '--key',
      'expiring',
    ])
    expect(expired.code).toBe(ASK_EXIT.expired)
    const { id, status } = JSON.parse(expired.stdout)
    expect(status).toBe('expired')
    expect(expired.stderr).toContain('Expired, nobody answered in time')
    expect((await gateway.api.ok<Ask>('GET', `/api/asks/${id}`)).outcome).toMatchObject({ kind: 'expired' })
    const again = await gateway.command(['ask', 'Anybody?', ...YES_NO, '--timeout', '1s', '--key', 'expiring'])
    expect(again).toMatchObject({ code: ASK_EXIT.expired, stdout: '' })
  })

  it('exits with 4 where no gateway is, with what to do', async () => {
    const home = mkdtempSync(join(tmpdir(), 'hp-none-'))
    const nowhere = await runCommand(['ask', 'Hello?', '--data', home])
    expect(nowhere).toMatchObject({ code: ASK_EXIT.unreachable, stdout: '' })
    expect(nowhere.stderr).toContain('start it with "holdpoint start')
    const env = { HOLDPOINT_TOKEN: 'x'.repeat(40) }
    const silent = await runCommand(['ask', 'Hello?', '--url', await silentAddress()], { env })
    expect(silent).toMatchObject({ code: ASK_EXIT.unreachable, stderr: expect.stringContaining('ECONNREFUSED') })
    rmSync(home, { recursive: true })
  })

  it('exits with 5 for whatever else keeps it from asking, never with a code that is an answer', async () => {
    const usage = [
      [],
      ['Hello?', '--what'],
      ['Hello?', '--timeout', 'soon'],
      ['  '],
      ['Hello?', '--option', 'yes', '--option', 'yes'],
      ['Hello?', '--key', ''],
      ['Hello?', '--detail', '@/does/not/exist'],
    ]
    for (const args of usage) expect((await gateway.command(['ask', ...args])).code, String(args)).toBe(ASK_EXIT.failed)
    expect((await gateway.command(['ask', '--help'])).code).toBe(0)
    // An owner's token is for answering.
    const owner = await runCommand(['ask', 'Hello?', '--url', gateway.url], { env: { HOLDPOINT_TOKEN: gateway.token } })
    expect(owner).toMatchObject({ code: ASK_EXIT.failed, stderr: expect.stringContaining('holdpoint login --raiser') })
    expect(await runCommand(['ask', 'Hello?', '--url', gateway.url])).toMatchObject({
      code: ASK_EXIT.failed,
      stderr: expect.stringContaining('holdpoint login --raiser'),
    })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('withdraws the ask on %s; the same key asks again', async (signal) => {
    const title = `Stop on ${signal}?`
    const args = ['ask', title, ...YES_NO, '--key', signal]
    const stopped = gateway.begin(args)
    const ask = await openAsk(gateway, title)
    await waits(stopped)
    stopped.kill(signal)
    expect(await stopped.exited).toMatchObject({ code: ASK_EXIT.interrupted, stdout: '' })
    expect((await gateway.api.ok<Ask>('GET', `/api/asks/${ask.id}`)).outcome).toMatchObject({
      kind: 'withdrawn',
      reason: 'agent-cancelled',
    })
    const again = gateway.begin(args)
    const next = await openAsk(gateway, title)
    expect(next.id).not.toBe(ask.id)
    await choose(gateway, next, 'yes')
    expect(await again.exited).toMatchObject({ code: ASK_EXIT.first })
    expect(await gateway.command(args)).toMatchObject({ code: ASK_EXIT.first, stdout: 'yes\n' })
  })

  it('[F44] is the same ask under the same key: after kill -9, and with the answer when it is settled', async () => {
    const args = ['ask', 'Once?', ...YES_NO, '--key', 'once']
    const killed = gateway.begin(args)
    const ask = await openAsk(gateway, 'Once?')
    killed.kill('SIGKILL')
    await killed.exited
    const again = gateway.begin(args)
    await waits(again)
    expect((await gateway.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
    await choose(gateway, ask, 'no')
    expect(await again.exited).toMatchObject({ code: ASK_EXIT.another, stdout: 'no\n' })
    expect(await gateway.command(args)).toMatchObject({ code: ASK_EXIT.another, stdout: 'no\n' })
    expect(await gateway.command(['ask', 'Twice?', ...YES_NO, '--key', 'once'])).toMatchObject({
      code: ASK_EXIT.failed,
      stderr: expect.stringContaining('another question'),
    })
  })

  it('deploys in the example for scripts after a yes, and not without one', async () => {
    const deploy = (version: string) =>
      promisify(execFile)('sh', ['examples/ask/deploy.sh', version], {
        env: { PATH: process.env.PATH, HOLDPOINT: `${process.execPath} dist/cli.js`, HOLDPOINT_DATA: gateway.dataDir },
      })
    const allowed = deploy('2.0')
    await choose(gateway, await openAsk(gateway, 'Deploy 2.0 to production?'), 'yes')
    expect((await allowed).stdout).toBe('Deploying 2.0\n')
    const refused = deploy('2.1')
    await choose(gateway, await openAsk(gateway, 'Deploy 2.1 to production?'), 'no')
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Not deployed'),
    })
  })

  it('[I8] goes with the token of a raiser from another machine, and the raiser answers nothing', async () => {
    const { code, stdout } = await gateway.command(['login', '--raiser', 'GitHub Actions'])
    expect(code).toBe(0)
    const env = { HOLDPOINT_TOKEN: stdout.trim() }
    const home = mkdtempSync(join(tmpdir(), 'hp-ci-'))
    const asking = beginCommand(['ask', 'From CI?', ...YES_NO, '--url', gateway.url], { env, home })
    const ask = await openAsk(gateway, 'From CI?')
    expect(ask.raiser).toBe('GitHub Actions')
    expect((await gateway.command(['answer', ask.id, 'answer', '--choose', '1'], { env })).code).not.toBe(0)
    await choose(gateway, ask, 'yes')
    expect(await asking.exited).toMatchObject({ code: ASK_EXIT.first, stdout: 'yes\n' })
    rmSync(home, { recursive: true })
  })
})

it('needs nothing that is installed: no database, no agent', async () => {
  await using gateway = await startBuiltGateway()
  const { stdout: token } = await gateway.command(['login', '--raiser', 'elsewhere'])
  const folder = mkdtempSync(join(tmpdir(), 'hp-bare-'))
  const programs = readdirSync('dist').filter(
    (name) => name.endsWith('.js') && !/^(start-gateway|sqlite-(?!error)|host|pty)/.test(name),
  )
  for (const name of programs) copyFileSync(join('dist', name), join(folder, name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const asking = promisify(execFile)(
    process.execPath,
    [join(folder, 'cli.js'), 'ask', 'From npx?', ...YES_NO, '--url', gateway.url],
    { cwd: folder, env: { HOME: folder, HOLDPOINT_TOKEN: token.trim() } },
  )
  await choose(gateway, await openAsk(gateway, 'From npx?'), 'yes')
  expect(await asking).toMatchObject({ stdout: 'yes\n' })
  rmSync(folder, { recursive: true })
})

it('[F1, I3] waits on over a kill -9 and a restart of the gateway, and over its own retry', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hp-'))
  const first = await startBuiltGateway({ dataDir })
  const args = ['ask', 'Still there?', ...YES_NO, '--key', 'restart', '--timeout', '1h']
  const asking = first.begin(args)
  const ask = await openAsk(first, 'Still there?')
  await waits(asking)
  await first.kill9()
  await until(() => asking.output.stderr.includes('The connection to the gateway is lost'), 'it to be noticed')
  {
    await using second = await startBuiltGateway({ dataDir, token: first.token })
    await until(() => asking.output.stderr.includes('The gateway is back'), 'the command to be back')
    const retry = second.begin(args)
    await waits(retry)
    expect((await second.api.openAsks()).map(({ id, expiresAt }) => [id, expiresAt])).toEqual([[ask.id, ask.expiresAt]])
    await choose(second, ask, 'yes')
    for (const command of [asking, retry])
      expect(await command.exited).toMatchObject({ code: ASK_EXIT.first, stdout: 'yes\n' })
  }
  rmSync(dataDir, { recursive: true, force: true })
})
