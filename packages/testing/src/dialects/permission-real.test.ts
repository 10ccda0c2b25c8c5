// The permission protocol ("Dynamic Tool Approvals") end to end: the real Claude Code on a scripted model, and the client in
// examples/, which was written from the permission protocol alone.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PermissionRequest } from '@holdpoint/core/permission-request'
import { ask, planUntilApproved, singleQuestion, steps, subagents } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealGateway, type RealSession, startRealGateway } from '../e2e/real-gateway.ts'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { until } from '../until.ts'
import { type ConnectedPermissions, connectPermissions } from './permission-client.ts'

const scripts = {
  bash: steps([use('Bash', { command: 'touch made.txt', description: 'make a file' })]),
  'two-bash': steps([use('Bash', { command: 'touch one.txt' }), use('Bash', { command: 'touch two.txt' })]),
  'same-bash': steps([
    use('Bash', { command: 'touch same.txt', description: 'first' }),
    use('Bash', { command: 'touch same.txt', description: 'second' }),
    use('Bash', { command: 'touch other.txt' }),
  ]),
  files: steps([
    (call) => ({ content: [use('Read', { file_path: join(call.cwd ?? '', 'note.txt') })] }),
    (call) => ({
      content: [use('Edit', { file_path: join(call.cwd ?? '', 'note.txt'), old_string: 'two', new_string: 'TWO' })],
    }),
    (call) => ({ content: [use('Write', { file_path: join(call.cwd ?? '', 'new.txt'), content: 'new text\n' })] }),
  ]),
  web: steps([
    [
      use('WebFetch', { url: 'https://example.invalid/page', prompt: 'read' }),
      use('WebFetch', { url: 'https://example.invalid/page', prompt: 'read' }),
      use('WebSearch', { query: 'the weather' }),
    ],
  ]),
  plan: planUntilApproved('# The plan\n'),
  question: steps([ask(singleQuestion), use('Bash', { command: 'touch made.txt' })]),
  helper: subagents([{ prompt: 'scenario:helper make a file', steps: [use('Bash', { command: 'touch helped.txt' })] }]),
  append: steps([use('Bash', { command: 'echo ran >> ran.txt' }), use('Bash', { command: 'echo ran >> again.txt' })]),
}

let real: RealGateway
beforeAll(async () => {
  real = await startRealGateway({ scripts })
})
afterAll(() => real[Symbol.asyncDispose]())

const connect = ({ id: sessionId }: RealSession) =>
  connectPermissions({ url: real.gateway.url, token: PROCESS_TOKEN, sessionId })

/** A session, and a client that shows its requests. */
async function open(scenario: keyof typeof scripts, start: Record<string, unknown> = {}) {
  const session = await real.session(scenario, start)
  return { session, modal: await connect(session) }
}

const requestAfter =
  ({ id }: PermissionRequest) =>
  (request: PermissionRequest) =>
    request.id !== id

async function outcomes(session: RealSession) {
  const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
  return asks.map(({ outcome }) => outcome)
}

/** Replies, and waits for the stream to say so. */
async function replyTo(
  modal: ConnectedPermissions,
  request: PermissionRequest,
  ...given: ['allow' | 'deny' | 'always', string?]
) {
  expect(await modal.client.replyTo(request.id, ...given)).toMatchObject({ success: true })
  expect(await modal.replied(request)).toMatchObject({ reply: given[0] })
}

describe.concurrent('§5 Main Flow', () => {
  it('Allow Once: the request has everything the permission protocol says of a command; it runs, once', async () => {
    const { session, modal } = await open('bash')
    const request = await modal.request()
    expect(request).toEqual({
      id: expect.stringMatching(/^ask_/),
      sessionId: session.id,
      messageId: expect.stringMatching(/^toolu_/),
      tool: 'Bash',
      permission: 'bash',
      input: { command: 'touch made.txt', description: 'make a file' },
      patterns: ['touch made.txt'],
      metadata: expect.objectContaining({ description: 'make a file', command: 'touch made.txt' }),
      suggestions: expect.any(Array),
      createdAt: expect.any(Number),
    })
    for (const { type, patterns, description } of request.suggestions)
      expect([['addRules', 'addDirectories'].includes(type), patterns.length > 0, description !== '']).toEqual([
        true,
        true,
        true,
      ])
    expect(await session.file('made.txt')).toBeUndefined()
    // §5 Client Reconnection: whoever comes in the middle of it gets what is pending, and both are cleared together.
    const other = await connect(session)
    expect(other.client.pendingQueue).toEqual([request])
    await replyTo(other, request, 'allow')
    expect(await modal.replied(request)).toEqual({ sessionId: session.id, requestId: request.id, reply: 'allow' })
    expect(await modal.client.replyTo(request.id, 'deny')).toEqual({
      success: false,
      error: 'Request expired or not found',
    })
    await session.idle()
    expect(await session.file('made.txt')).toBe('')
    expect(await outcomes(session)).toMatchObject([{ kind: 'allowed', via: 'permission' }])
    expect([modal.client.pendingQueue, other.client.pendingQueue]).toEqual([[], []])
    modal.client.close()
    other.client.close()
  })

  it('Deny with a message: the agent is told, and goes on; closing the modal is a deny too: "Dismissed"', async () => {
    const { session, modal } = await open('two-bash')
    const first = await modal.request()
    await replyTo(modal, first, 'deny', 'not on a Sunday')
    const second = await modal.request(requestAfter(first))
    expect(await modal.client.dismiss()).toEqual({ success: true })
    expect(await modal.replied(second)).toMatchObject({ reply: 'deny' })
    await session.idle()
    for (const word of ['not on a Sunday', 'Dismissed']) expect(session.told()).toContain(word)
    expect([await session.file('one.txt'), await session.file('two.txt')]).toEqual([undefined, undefined])
    modal.client.close()
  })

  it('Always Allow: exactly this command is not asked about again in this session', async () => {
    const { session, modal } = await open('same-bash')
    const first = await modal.request()
    await replyTo(modal, first, 'always')
    // The second call, which differs in its description alone, was settled by the rule.
    const third = await modal.request(requestAfter(first))
    expect(third.patterns).toEqual(['touch other.txt'])
    await replyTo(modal, third, 'deny')
    await session.idle()
    expect((await outcomes(session)).map((outcome) => outcome?.via).sort()).toEqual([
      'permission',
      'permission',
      'rule',
    ])
    modal.client.close()
  })
})

describe.concurrent('§3 PermissionMetadata', () => {
  it('Edit and Write: filePath, and a unified diff against the file on disk', async () => {
    const { session, modal } = await open('files', {
      prepare: (cwd: string) => writeFile(join(cwd, 'note.txt'), 'one\ntwo\nthree\n'),
    })
    const edit = await modal.request(({ tool }) => tool === 'Edit')
    const note = join(session.cwd, 'note.txt')
    expect(edit).toMatchObject({ permission: 'edit', patterns: [], metadata: { filePath: note } })
    expect(edit.metadata.diff).toMatch(/^--- .*\n\+\+\+ .*\n@@ .*\n one\n-two\n\+TWO\n three\n/)
    await replyTo(modal, edit, 'allow')
    const write = await modal.request(({ tool }) => tool === 'Write')
    expect(write).toMatchObject({ permission: 'write', patterns: [join(session.cwd, 'new.txt')] })
    expect(write.metadata.diff).toContain('+new text')
    await replyTo(modal, write, 'allow')
    await session.idle()
    expect([await session.file('note.txt'), await session.file('new.txt')]).toEqual(['one\nTWO\nthree\n', 'new text\n'])
    modal.client.close()
  })

  it('a subagent asks in its parent’s session, and the request says who', async () => {
    const { session, modal } = await open('helper')
    // Starting one may itself have to be allowed.
    const request = await until(async () => {
      const asked = modal.client.currentRequest
      if (asked && asked.tool !== 'Bash') await modal.client.replyTo(asked.id, 'allow')
      return asked?.tool === 'Bash' && asked
    }, 'the request of the subagent')
    expect(request).toMatchObject({ sessionId: session.id, metadata: { subagent: expect.any(String) } })
    await replyTo(modal, request, 'allow')
    await session.idle()
    expect(await session.file('helped.txt')).toBe('')
    modal.client.close()
  })
})

describe.concurrent('plans and questions', () => {
  it('a plan is a permission of ExitPlanMode; always approves it once', async () => {
    const { session, modal } = await open('plan')
    const first = await modal.request(({ tool }) => tool === 'ExitPlanMode')
    expect(first).toMatchObject({ input: { plan: expect.stringContaining('# The plan') }, patterns: [] })
    await replyTo(modal, first, 'deny', 'make it longer')
    const second = await modal.request((request) => request.tool === 'ExitPlanMode' && requestAfter(first)(request))
    expect(second.input.plan).toContain('make it longer')
    expect(await modal.client.replyTo(second.id, 'always')).toEqual({
      success: true,
      remembered: false,
      reason: expect.any(String),
    })
    expect(await modal.replied(second)).toMatchObject({ reply: 'allow' })
    await session.idle()
    expect(await session.items()).toContainEqual(expect.objectContaining({ text: 'The plan is approved.' }))
    modal.client.close()
  })

  it('a question is no permission: answered elsewhere, the agent goes on; so does a permission, and the modal goes', async () => {
    const { session, modal } = await open('question')
    const question = await session.ask(({ kind }) => kind === 'question')
    expect(modal.client.pendingQueue).toEqual([])
    await session.answer(question, { kind: 'answer', answers: [{ question: 0, selected: ['One column'] }] })
    const request = await modal.request()
    await session.answer(await session.ask(), { kind: 'allow' })
    expect(await modal.replied(request)).toMatchObject({ reply: 'allow', reason: 'answered-elsewhere' })
    await session.idle()
    expect(JSON.stringify(modal.events)).not.toContain('AskUserQuestion')
    modal.client.close()
  })
})

describe.concurrent('§5 Concurrent Tool Handling, Abort Handling; §6 Error Handling', () => {
  it('parallel calls: a queue, each answered on its own, in any order; always leaves what is open to a person', async () => {
    const { session, modal } = await open('web')
    await modal.waitFor(() => modal.client.pendingQueue.length === 3)
    const { pendingQueue: queue } = modal.client
    expect(queue.map(({ createdAt }) => createdAt)).toEqual(queue.map(({ createdAt }) => createdAt).sort())
    const search = queue.find(({ tool }) => tool === 'WebSearch') ?? expect.fail()
    expect(search).toMatchObject({ permission: 'websearch', metadata: { query: 'the weather' } })
    await replyTo(modal, search, 'deny', 'look out of the window')
    const [first, second] = modal.client.pendingQueue
    if (!first || !second) return expect.fail()
    expect(first).toMatchObject({
      permission: 'webfetch',
      patterns: ['https://example.invalid/page'],
      metadata: { url: 'https://example.invalid/page', description: expect.any(String) },
    })
    expect(second.patterns).toEqual(first.patterns)
    await replyTo(modal, first, 'always')
    expect(modal.client.pendingQueue).toEqual([second])
    await replyTo(modal, second, 'deny', 'once is enough')
    await session.idle()
    for (const word of ['look out of the window', 'once is enough']) expect(session.told()).toContain(word)
    modal.client.close()
  })

  it('SessionAborted: the stop button takes the request away, and nothing runs', async () => {
    const { session, modal } = await open('bash')
    const request = await modal.request()
    await real.api.ok('POST', `/api/sessions/${session.id}/interrupt`)
    expect(await modal.replied(request)).toMatchObject({ reply: 'deny', reason: 'aborted' })
    await session.idle()
    expect(await session.file('made.txt')).toBeUndefined()
    modal.client.close()
  })

  it('PermissionTimeout: the request goes, the agent hears that nobody was there', async () => {
    const { session, modal } = await open('bash', { askTimeoutMs: 1500 })
    const request = await modal.request()
    expect(await modal.replied(request)).toMatchObject({ reply: 'deny', reason: 'timeout' })
    await session.idle()
    expect(session.told()).toContain('Nobody answered in time')
    expect(await outcomes(session)).toMatchObject([{ kind: 'expired' }])
    expect(await session.file('made.txt')).toBeUndefined()
    modal.client.close()
  })
})

it('§5 Client Reconnection: across a killed gateway the same request is there again, and its tool runs once', async () => {
  const { session, modal } = await open('append')
  const request = await modal.request()
  await real.gateway.kill9()
  await modal.waitFor(() => !modal.client.connected)
  // §6 NetworkError: three attempts, then it is the person's turn again.
  await expect(modal.client.replyTo(request.id, 'allow')).rejects.toMatchObject({ code: 'network' })
  expect(modal.client.currentRequest).toEqual(request)
  await real.restart()
  await modal.waitFor(() => modal.client.synced)
  expect(modal.client.pendingQueue).toEqual([request])
  await replyTo(modal, request, 'allow')
  const next = await modal.request(requestAfter(request))
  expect(await session.file('ran.txt')).toBe('ran\n')
  await replyTo(modal, next, 'deny')
  await session.idle()
  expect(await session.file('again.txt')).toBeUndefined()
  modal.client.close()
})
