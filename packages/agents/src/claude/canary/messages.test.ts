import { randomUUID } from 'node:crypto'
import { errors, failWith, steps, subagents, turns } from '@holdpoint/demo-model/scenarios'
import { type ReplyError, say, use } from '@holdpoint/demo-model/script'
import { launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test } from 'vitest'
import { canary, touch } from './facts.ts'

canary()

const typesOf = (claude: RealClaude) =>
  claude.messages.map((message) => ('subtype' in message ? `${message.type}/${message.subtype}` : message.type))

describe.concurrent('messages of the agent', () => {
  test('come through the SDK whole and in order, but for the session state; each has its own uuid', async () => {
    await using claude = await startRealClaude({ script: steps([[touch('a'), touch('b')]]), options: launch })
    await claude.result()
    claude.send('more')
    await claude.result(2)
    const shown = claude.lines.filter(
      (line) => !String(line.type).startsWith('control_') && line.subtype !== 'session_state_changed',
    )
    expect(claude.messages).toEqual(shown.slice(0, claude.messages.length))
    expect(new Set(claude.messages.map((message) => message.uuid)).size).toBe(claude.messages.length)
  })

  test('of a turn begin with init, every time, and end with the result', async () => {
    const uuid = randomUUID()
    await using claude = await startRealClaude({ script: steps([touch('a')]), options: launch, prompt: null })
    claude.send('go', uuid)
    expect(await claude.result()).toMatchObject({ user_message_uuid: uuid, user_message_uuids: [uuid] })
    claude.send('more')
    await claude.result(2)
    expect(typesOf(claude).filter((type) => type !== 'command_lifecycle')).toEqual([
      ...['system/init', 'assistant', 'user', 'assistant', 'result/success'],
      ...['system/init', 'assistant', 'user', 'assistant', 'result/success'],
    ])
  })

  test('in parts: the finished block comes before its content_block_stop, under the same message id', async () => {
    const content = [{ type: 'text' as const, text: 'I will.' }, use('Bash', { command: 'touch a' })]
    await using claude = await startRealClaude({
      script: (call) => (call.rounds.length ? say('done') : { content, chunkDelayMs: 1 }),
      options: { ...launch, includePartialMessages: true },
    })
    await claude.result()
    const parts = claude.messages.flatMap((message) => {
      if (message.type === 'assistant') return [`block ${message.message.content[0]?.type}`]
      if (message.type !== 'stream_event') return []
      const { event } = message
      return [event.type === 'content_block_delta' ? event.delta.type : event.type]
    })
    const once = parts.filter((part, index) => part !== parts[index - 1])
    expect(once.slice(0, 11)).toEqual([
      'message_start',
      ...['content_block_start', 'text_delta', 'block text', 'content_block_stop'],
      ...['content_block_start', 'input_json_delta', 'block tool_use', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ])
    const ids = claude.messages.flatMap((message) =>
      message.type === 'assistant' ? [message.message.id] : 'api_message_id' in message ? [message.api_message_id] : [],
    )
    expect(new Set(ids).size).toBe(2)
  })
})

test.each([false, true])(
  'a subagent and its call are told together before it asks (background: %s)',
  async (background) => {
    await using claude = await startRealClaude({
      script: subagents([{ prompt: 'The subtask.', steps: [touch('made')] }], { background }),
      options: launch,
    })
    const { context } = await claude.until(() => claude.asks[0], 'the ask of the subagent')
    await claude.until(() => claude.toolResults().some(({ id }) => id === context.toolUseID) || undefined, 'its result')
    const asked = claude.lines.findIndex(({ type }) => type === 'control_request')
    const started = claude.lines.findIndex(({ subtype }) => subtype === 'task_started')
    expect(started).toBeGreaterThan(0)
    expect(started).toBeLessThan(asked)
    expect(claude.lines[started]).toMatchObject({ task_id: context.agentID, description: 'a subtask' })
    const inside = claude.lines.filter((line) => 'agent_id' in line)
    expect(inside.map(({ type }) => type)).toContain('assistant')
    for (const line of inside) {
      expect(line).toMatchObject({ agent_id: context.agentID, parent_tool_use_id: claude.lines[started]?.tool_use_id })
    }
  },
)

describe.concurrent('a message to the agent', () => {
  test('with a uuid it already had starts no second turn, not even after a resume', async () => {
    const uuid = randomUUID()
    await using first = await startRealClaude({ script: () => say('hi'), options: launch, prompt: null })
    first.send('go', uuid)
    await first.result()
    first.send('go', uuid)
    first.send('more', randomUUID())
    const { session_id: resume } = await first.result(2)
    expect(first.model.requests).toHaveLength(2)
    first.endInput()
    await first.ended
    await using second = await startRealClaude({
      script: () => say('hi'),
      folders: first,
      prompt: null,
      options: { ...launch, resume },
    })
    second.send('go', uuid)
    second.send('the last', randomUUID())
    await second.result()
    expect(second.model.requests).toHaveLength(1)
  })

  test('that is a slash command prints as the model’s words, and as in a transcript beside them', async () => {
    await using claude = await startRealClaude({ script: () => say('hi'), options: launch, prompt: null })
    claude.send('/cost')
    await claude.result()
    expect(claude.messages.filter(({ type }) => type === 'assistant')).toMatchObject([
      {
        message: { model: '<synthetic>', content: [{ text: expect.stringContaining('Total cost') }] },
        local_command_source: expect.stringMatching(/^<local-command-stdout>Total cost/),
      },
    ])
  })

  test('is echoed under its uuid when asked for', async () => {
    const uuid = randomUUID()
    await using claude = await startRealClaude({
      script: () => say('hi'),
      options: { ...launch, extraArgs: { 'replay-user-messages': null } },
      prompt: null,
    })
    claude.send('go', uuid)
    await claude.result()
    expect(claude.messages.filter((message) => message.type === 'user')).toMatchObject([{ uuid, isReplay: true }])
  })
})

describe.concurrent('trouble', () => {
  test('of the model ends the turn with a success that is an error, and the agent lives', async () => {
    const troubles: readonly [ReplyError, object, string][] = [
      [
        errors.badKey,
        { api_error_status: 401, result: 'Invalid API key · Fix external API key' },
        'authentication_failed',
      ],
      [errors.overloaded, { api_error_status: 529, result: expect.stringContaining('Overloaded') }, 'server_error'],
      [
        errors.broken,
        { api_error_status: 500, result: expect.stringContaining('Internal server error') },
        'server_error',
      ],
    ]
    await using claude = await startRealClaude({
      script: turns(failWith(errors.badKey), failWith(errors.overloaded), failWith(errors.broken), () => say('better')),
      env: { CLAUDE_CODE_MAX_RETRIES: '1' },
      options: launch,
    })
    let seen = 0
    for (const [turn, [trouble, expected, error]] of troubles.entries()) {
      const failed = { subtype: 'success', is_error: true, terminal_reason: 'api_error' }
      expect(await claude.result(turn + 1)).toMatchObject({ ...failed, ...expected })
      const news = claude.messages.slice(seen)
      seen = claude.messages.length
      const isRetried = news.some((message) => message.type === 'system' && message.subtype === 'api_retry')
      expect(isRetried).toBe(trouble !== errors.badKey)
      const said = news.find((message) => message.type === 'assistant')
      expect(said).toMatchObject({ message: { model: '<synthetic>' }, error })
      claude.send('again')
    }
    expect(await claude.result(4)).toMatchObject({ is_error: false, result: 'better' })
  })

  test('without any key the first message says so', async () => {
    await using claude = await startRealClaude({
      script: () => say('hi'),
      env: { ANTHROPIC_API_KEY: '' },
      options: launch,
    })
    expect(await claude.query.initializationResult()).toMatchObject({ account: { tokenSource: 'none' } })
    expect(await claude.result()).toMatchObject({
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      result: 'Not logged in · Please run /login',
    })
    expect(claude.model.requests).toEqual([])
  })

  test('a missing program fails the start with ENOENT', async () => {
    await using claude = await startRealClaude({
      script: () => say('hi'),
      options: { ...launch, pathToClaudeCodeExecutable: '/nonexistent/claude', spawnClaudeCodeProcess: undefined },
    })
    await expect(claude.query.initializationResult()).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await claude.ended).toMatchObject({ code: 'ENOENT' })
  })
})
