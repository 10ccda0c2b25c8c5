// The process-state protocol ("Pending Requests: Tool Approval & Clarifying Questions") end to end (its Task 10): the real
// Claude Code on a scripted model, and the client in examples/, which was written from the process-state protocol alone.
import { join } from 'node:path'
import {
  ask,
  multiQuestion,
  planSteps,
  planUntilApproved,
  singleQuestion,
  steps,
} from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { PendingRequest } from '@holdpoint/server/dialects/process-state/messages'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealGateway, type RealSession, startRealGateway } from '../e2e/real-gateway.ts'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import { until } from '../until.ts'
import { connectProcessState } from './process-state-client.ts'

const colour = { ...singleQuestion, question: 'Which colour?', header: 'Colour' }
const note = (call: { cwd?: string }) => join(call.cwd ?? '', 'note.txt')

const scripts = {
  bash: steps([use('Bash', { command: 'touch made.txt', description: 'make a file', timeout: 5000 })]),
  'two-bash': steps([use('Bash', { command: 'touch one.txt' }), use('Bash', { command: 'touch two.txt' })]),
  files: steps([
    (call) => ({ content: [use('Write', { file_path: note(call), content: 'old\n' })] }),
    (call) => ({ content: [use('Read', { file_path: note(call), offset: 1, limit: 10 })] }),
    (call) => ({ content: [use('Edit', { file_path: note(call), old_string: 'old', new_string: 'new' })] }),
  ]),
  'write-bash': steps([
    (call) => ({ content: [use('Write', { file_path: note(call), content: 'written\n' })] }),
    // Claude Code takes plain `touch` for a file operation.
    use('Bash', { command: "sh -c 'touch made.txt'" }),
  ]),
  questions: steps([ask(singleQuestion, multiQuestion), ask(colour)]),
  plan: steps(planSteps('# The plan\n')),
  'plan-again': planUntilApproved('# The plan\n'),
  parallel: steps([[1, 2, 3].map((n) => use('WebFetch', { url: `https://example.invalid/${n}`, prompt: 'read' }))]),
  append: steps([use('Bash', { command: 'echo ran >> ran.txt' }), use('Bash', { command: 'echo ran >> again.txt' })]),
}

let real: RealGateway
let tab: Awaited<ReturnType<typeof openTab>>

const openTab = (errors: Error[] = []) =>
  connectProcessState({ url: real.gateway.url, token: PROCESS_TOKEN, onError: (error) => errors.push(error) })

beforeAll(async () => {
  real = await startRealGateway({ scripts })
  tab = await openTab()
})
afterAll(async () => {
  tab.client.close()
  await real[Symbol.asyncDispose]()
})

/** Approves what a session asks for, once it is this tool. */
async function approve(session: RealSession, tool: string, options?: { updatedInput?: object }) {
  const request = await tab.request(session.id, ({ tool_name }) => tool_name === tool)
  await tab.client.approve(session.id, request, options)
  return request
}

/** What a client is told of a session when it connects. */
async function infoOf(id: string) {
  const { client } = await openTab()
  client.close()
  return client.processStates[id]
}

async function outcomes(session: RealSession) {
  const { asks } = await real.api.ok<{ asks: Ask[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
  return asks.map(({ outcome }) => outcome)
}

/** As Claude Code tells its model. The words alone prove nothing: they are in the question that it has asked. */
const given = (question: string, answer: string) => JSON.stringify(`"${question}"="${answer}"`).slice(1, -1)

describe.concurrent('Task 10: Claude tries to use a tool', () => {
  it('Case 1, Tool approval: approve sends the original input back, and exactly that runs', async () => {
    const session = await real.session('bash')
    const request = await tab.request(session.id)
    expect(request).toEqual({
      request_id: expect.stringMatching(/^ask_/),
      request_type: 'tool_approval',
      tool_name: 'Bash',
      tool_input: { command: 'touch made.txt', description: 'make a file', timeout: 5000 },
      created_at: expect.any(Number),
    })
    // States: a pending request happens during ASSISTANT_TURN. Session list indicator: the session is marked.
    expect(tab.client.processStates[session.id]).toMatchObject({ state: 'assistant_turn', pending_request: request })
    expect(tab.client.waitingSessions).toContain(session.id)
    expect(await session.file('made.txt')).toBeUndefined()
    await tab.client.approve(session.id, request)
    expect(await tab.state(session.id, 'user_turn')).toMatchObject({ pending_request: null })
    await until(async () => ((await infoOf(session.id))?.memory ?? 0) > 0, 'a reading of its memory')
    expect(await session.file('made.txt')).toBe('')
    expect(await outcomes(session)).toMatchObject([
      { kind: 'allowed', via: 'process-state', answer: { kind: 'allow' } },
    ])
    expect((await outcomes(session))[0]?.answer).not.toHaveProperty('updatedInput')
  })

  it('PermissionResultAllow: the tool executes with modified input', async () => {
    const session = await real.session('bash')
    await approve(session, 'Bash', {
      updatedInput: { command: 'touch edited.txt', description: 'edited', timeout: 5000 },
    })
    await tab.state(session.id, 'user_turn')
    expect([await session.file('edited.txt'), await session.file('made.txt')]).toEqual(['', undefined])
  })

  it('PermissionResultDeny: Claude sees the message, and goes on', async () => {
    const session = await real.session('two-bash')
    const first = await tab.request(session.id)
    await tab.client.deny(session.id, first, { message: 'not on a Sunday' })
    const second = await tab.request(session.id, ({ request_id }) => request_id !== first.request_id)
    expect(session.told()).toContain('not on a Sunday')
    await tab.client.deny(session.id, second)
    await tab.state(session.id, 'user_turn')
    expect(session.told()).toContain('The user denied this.')
    expect([await session.file('one.txt'), await session.file('two.txt')]).toEqual([undefined, undefined])
  })

  it('Key input fields of Write, Read and Edit', async () => {
    const session = await real.session('files', { gate: 'everything' })
    const file_path = join(session.cwd, 'note.txt')
    expect((await approve(session, 'Write')).tool_input).toEqual({ file_path, content: 'old\n' })
    expect((await approve(session, 'Read')).tool_input).toEqual({ file_path, offset: 1, limit: 10 })
    expect((await approve(session, 'Edit')).tool_input).toMatchObject({
      file_path,
      old_string: 'old',
      new_string: 'new',
    })
    await tab.state(session.id, 'user_turn')
    expect(await session.file('note.txt')).toBe('new\n')
  })

  it('Permission modes: acceptEdits auto-approves file operations, Bash triggers the callback', async () => {
    const session = await real.session('write-bash', { permissionMode: 'acceptEdits' })
    await approve(session, 'Bash')
    await tab.state(session.id, 'user_turn')
    expect([await session.file('note.txt'), await session.file('made.txt')]).toEqual(['written\n', ''])
    expect(await outcomes(session)).toHaveLength(1)
  })

  it('Permission modes: in bypassPermissions the callback never fires, in plan nothing is executed', async () => {
    for (const [permissionMode, made] of [
      ['bypassPermissions', ''],
      ['plan', undefined],
    ]) {
      const session = await real.session('bash', { permissionMode })
      await tab.state(session.id, 'user_turn')
      expect(session.told()).toContain('"tool_result"')
      expect([await session.file('made.txt'), await outcomes(session)], permissionMode).toEqual([made, []])
    }
  })
})

describe.concurrent('Task 10: Claude asks a clarifying question', () => {
  it('Case 2: one label, several joined with ", ", and free text, by question text', async () => {
    const session = await real.session('questions')
    const first = await tab.request(session.id)
    expect(first).toMatchObject({
      request_type: 'ask_user_question',
      tool_name: 'AskUserQuestion',
      tool_input: { questions: [singleQuestion, multiQuestion] },
    })
    await tab.client.answer(session.id, first, {
      [singleQuestion.question]: 'One column',
      [multiQuestion.question]: ['Store', 'Page'],
    })
    const second = await tab.request(session.id, ({ request_id }) => request_id !== first.request_id)
    await tab.client.answer(session.id, second, { 'Which colour?': 'a colour of my own' })
    await tab.state(session.id, 'user_turn')
    for (const [question, answer] of [
      [singleQuestion.question, 'One column'],
      [multiQuestion.question, 'Store, Page'],
      ['Which colour?', 'a colour of my own'],
    ] as const)
      expect(session.told()).toContain(given(question, answer))
  })
})

describe.concurrent('A plan is a tool approval of ExitPlanMode', () => {
  it('denied with a comment, changed, and approved by the input that was shown', async () => {
    const session = await real.session('plan-again')
    const first = await tab.request(session.id)
    expect(first).toMatchObject({
      request_type: 'tool_approval',
      tool_name: 'ExitPlanMode',
      tool_input: { plan: expect.stringContaining('# The plan') },
    })
    await tab.client.deny(session.id, first, { message: 'make it longer' })
    const second = await tab.request(session.id, ({ request_id }) => request_id !== first.request_id)
    expect(second.tool_input.plan).toContain('make it longer')
    await tab.client.approve(session.id, second)
    await tab.state(session.id, 'user_turn')
    expect(await session.items()).toContainEqual(expect.objectContaining({ text: 'The plan is approved.' }))
  })

  it('approved with another text in updated_input.plan', async () => {
    const session = await real.session('plan')
    const request = await tab.request(session.id)
    await tab.client.approve(session.id, request, {
      updatedInput: { ...request.tool_input, plan: '# The better plan\n' },
    })
    await tab.state(session.id, 'user_turn')
    expect(session.told()).toContain('The better plan')
  })
})

describe.concurrent('Task 10: a request that nobody answers', () => {
  it('Kill a process during a pending request: it is dead and the form disappears', async () => {
    const session = await real.session('bash')
    await tab.request(session.id)
    await real.api.ok('DELETE', `/api/sessions/${session.id}`)
    expect(await tab.state(session.id, 'dead')).toMatchObject({ pending_request: null, kill_reason: 'ended-by-person' })
    expect(await outcomes(session)).toMatchObject([{ kind: 'withdrawn', reason: 'session-ended' }])
  })

  it('interrupted: the form disappears and it is the user’s turn', async () => {
    const session = await real.session('bash')
    await tab.request(session.id)
    await real.api.ok('POST', `/api/sessions/${session.id}/interrupt`)
    expect(await tab.state(session.id, 'user_turn')).toMatchObject({ pending_request: null })
    expect(await session.file('made.txt')).toBeUndefined()
  })

  it('in a session with a time limit: the form disappears, and Claude hears that nobody was there', async () => {
    const session = await real.session('bash', { askTimeoutMs: 1000 })
    await tab.request(session.id)
    await tab.cleared(session.id)
    await tab.state(session.id, 'user_turn')
    expect(session.told()).toContain('Nobody answered in time')
    expect(await outcomes(session)).toMatchObject([{ kind: 'expired' }])
    expect(await session.file('made.txt')).toBeUndefined()
  })
})

describe.concurrent('Task 10: more than one client, more than one request', () => {
  it('Multi-tab: answered from one tab, the form disappears in both; the second answer is refused', async () => {
    const errors: Error[] = []
    const other = await openTab(errors)
    const session = await real.session('two-bash')
    const request = await tab.request(session.id)
    expect(await other.request(session.id)).toEqual(request)
    const next = ({ request_id }: PendingRequest) => request_id !== request.request_id
    await Promise.all([tab.client.approve(session.id, request), other.request(session.id, next)])
    other.client.respondToPendingRequest(session.id, request.request_id, {
      request_type: 'tool_approval',
      decision: 'deny',
    })
    await until(() => errors.length > 0, 'the refusal')
    expect(errors).toMatchObject([{ code: 'already_settled' }])
    const second = await other.request(session.id, next)
    await other.client.approve(session.id, second)
    await tab.state(session.id, 'user_turn')
    expect([await session.file('one.txt'), await session.file('two.txt')]).toEqual(['', ''])
    other.client.close()
  })

  it('parallel calls: pending_requests has all, the oldest is pending_request, each gets its own answer', async () => {
    const session = await real.session('parallel')
    await tab.client.waitFor(() => tab.client.getPendingRequests(session.id).length === 3)
    const open = tab.client.getPendingRequests(session.id)
    expect(tab.client.getPendingRequest(session.id)).toEqual(open[0])
    expect(open.map(({ created_at }) => created_at)).toEqual(open.map(({ created_at }) => created_at).sort())
    for (const index of [2, 0, 1]) {
      const request = open[index] ?? expect.fail()
      await tab.client.deny(session.id, request, { message: `no ${String(request.tool_input.url)} for you` })
      // Settling one promotes the next.
      const left = tab.client.getPendingRequests(session.id)
      expect(tab.client.getPendingRequest(session.id)).toEqual(left[0] ?? null)
    }
    await tab.state(session.id, 'user_turn')
    for (const n of [1, 2, 3]) expect(session.told()).toContain(`no https://example.invalid/${n} for you`)
  })

  it('Reconnect WebSocket during a pending request: active_processes brings the form back', async () => {
    const session = await real.session('bash')
    const request = await tab.request(session.id)
    const again = await openTab()
    expect(again.client.getPendingRequest(session.id)).toEqual(request)
    await again.client.approve(session.id, request)
    await tab.state(session.id, 'user_turn')
    expect(await session.file('made.txt')).toBe('')
    again.client.close()
  })
})

it('Reconnection: across a killed gateway the same request comes back by itself, and its tool runs once', async () => {
  const session = await real.session('append')
  const request = await tab.request(session.id)
  await real.gateway.kill9()
  await tab.client.waitFor(() => !tab.client.synced)
  // Kept on screen while the connection is down; it cannot be answered.
  expect(tab.client.getPendingRequest(session.id)).toEqual(request)
  await expect(tab.client.approve(session.id, request)).rejects.toMatchObject({ code: 'not_connected' })
  await real.restart()
  await tab.client.waitFor(() => tab.client.synced)
  expect(tab.client.getPendingRequest(session.id)).toEqual(request)
  await tab.client.approve(session.id, request)
  const next = await tab.request(session.id, ({ request_id }) => request_id !== request.request_id)
  expect(await session.file('ran.txt')).toBe('ran\n')
  await tab.client.deny(session.id, next)
  await tab.state(session.id, 'user_turn')
})
