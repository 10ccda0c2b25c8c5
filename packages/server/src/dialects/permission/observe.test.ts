import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { createLog, type LogLevel } from '../../system/log.ts'

interface Line {
  readonly level: string
  readonly event: string
  readonly [detail: string]: unknown
}

async function startLogging(level: LogLevel = 'debug') {
  const lines: Line[] = []
  const write = (line: string) => lines.push(JSON.parse(line) as Line)
  const test = await startTestGateway({ log: createLog({ level, now: () => 0, write }) })
  const about = (word: string) =>
    lines
      .filter(({ event }) => event.startsWith('permission') && event.endsWith(word))
      .map(({ at, message, ...rest }) => rest)
  return { test, lines, about, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

it('§7 tells of a request and of its reply, whichever surface that came by', async () => {
  await using logging = await startLogging()
  const { test, about } = logging
  const { session, agent } = await test.session()
  const { ask } = await test.openAsk(agent)
  expect(about('requested')).toEqual([
    {
      level: 'info',
      event: 'permission_requested',
      sessionId: session.id,
      requestId: ask.id,
      tool: 'Bash',
      patterns: ['echo hello'],
    },
  ])
  await test.api.call('POST', `/permission/${ask.id}/reply`, { reply: 'always' })
  const replied = { level: 'info', event: 'permission_replied', sessionId: session.id }
  expect(about('replied')).toEqual([{ ...replied, requestId: ask.id, reply: 'always' }])
  await agent.ask()
  expect(about('replied').at(-1)).toMatchObject({ reply: 'allow', reason: 'rule' })
  const other = await test.openAsk(agent, { tool: { name: 'Write', input: {} } })
  await test.api.answer(other.ask, { kind: 'deny', message: 'no' })
  expect(about('replied').at(-1)).toEqual({
    ...replied,
    requestId: other.ask.id,
    reply: 'deny',
    reason: 'answered-elsewhere',
  })
})

it('§7 warns of a timeout, and calls it nothing else', async () => {
  await using logging = await startLogging()
  const { session, agent } = await logging.test.session({ askTimeoutMs: 1000 })
  await agent.ask()
  expect(logging.about('timed_out')).toEqual([
    {
      level: 'warn',
      event: 'permission_timed_out',
      sessionId: session.id,
      requestId: expect.stringMatching(/^ask_/),
    },
  ])
  expect(logging.about('replied')).toEqual([])
})

it('§7 says, to who debugs, how many requests a session took with it', async () => {
  await using logging = await startLogging()
  const { test, about } = logging
  const { session, agent } = await test.session()
  const other = await test.session()
  for (const requestId of ['one', 'two']) await test.openAsk(agent, { requestId })
  await test.openAsk(agent, {
    kind: 'question',
    questions: [{ question: 'Which?', options: [{ label: 'a' }], multiSelect: false }],
  })
  await test.openAsk(other.agent, { requestId: 'three' })
  await test.api.ok('DELETE', `/api/sessions/${session.id}`)
  const cleaned = await until(() => about('cleaned_up')[0], 'the line')
  expect(cleaned).toMatchObject({ level: 'debug', sessionId: session.id, pending: 2 })
  expect(about('replied').map(({ reply, reason }) => [reply, reason])).toEqual([
    ['deny', 'aborted'],
    ['deny', 'aborted'],
  ])
})

it('says nothing below its level, and nothing of questions', async () => {
  await using logging = await startLogging('warn')
  const { agent } = await logging.test.session()
  await logging.test.openAsk(agent)
  expect(logging.lines).toEqual([])
  await using all = await startLogging()
  const asking = await all.test.session()
  await all.test.openAsk(asking.agent, {
    kind: 'question',
    questions: [{ question: 'Which?', options: [{ label: 'a' }], multiSelect: false }],
  })
  expect(all.about('')).toEqual([])
})

it('T43 I10 writes patterns without their secrets, and not at any length', async () => {
  await using logging = await startLogging()
  const { agent } = await logging.test.session()
  const secret = 'sk-ant-api03-abcdefgh12345678'
  const commands = [
    `curl -H "x-api-key: ${secret}" https://a.example`,
    // Cut in the middle of the secret, what is left of it would look like none.
    `${'x'.repeat(195)} ${secret}`,
    'y'.repeat(1_000_000),
  ]
  for (const [index, command] of commands.entries()) {
    await logging.test.openAsk(agent, {
      requestId: `r${index}`,
      tool: { name: 'Bash', input: { command } },
    })
  }
  const patterns = logging.about('requested').flatMap((line) => line.patterns as string[])
  expect(patterns).toHaveLength(3)
  expect(patterns[0]).toBe('curl -H "x-api-key: [redacted]" https://a.example')
  expect(patterns[1]).not.toContain('sk-')
  expect(patterns[2]).toBe(`${'y'.repeat(200)}…`)
})

it('is silent when the dialect is switched off', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', now: () => 0, write: (line) => lines.push(line) })
  await using test = await startTestGateway({ log, dialects: [] })
  const { agent } = await test.session()
  await test.openAsk(agent)
  expect(lines.filter((line) => line.includes('permission'))).toEqual([])
})
