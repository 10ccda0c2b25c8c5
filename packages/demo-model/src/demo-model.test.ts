import { eventsIn } from '@holdpoint/testing/event-source'
import { afterEach, describe, expect, test } from 'vitest'
import { type DemoModel, startDemoModel } from './demo-model.ts'
import { errors, failWith, steps } from './scenarios.ts'
import { type Script, say, use } from './script.ts'

const open: DemoModel[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((model) => model.close()))
})

async function start(script: Script): Promise<DemoModel> {
  const model = await startDemoModel({ script })
  open.push(model)
  return model
}

const tools = [{ name: 'Bash' }]

function body(overrides: object = {}) {
  return { model: 'demo', max_tokens: 10, tools, messages: [{ role: 'user', content: 'hello' }], ...overrides }
}

function post(model: DemoModel, content: unknown, path = '/v1/messages'): Promise<Response> {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return fetch(`${model.url}${path}`, { method: 'POST', body: text })
}

function eventsOf(stream: string) {
  return eventsIn(stream).map(({ event, data }) => ({ event, data: JSON.parse(data) }))
}

describe('a reply', () => {
  test('comes whole when no stream was asked for', async () => {
    const model = await start(() => ({ content: [{ type: 'text', text: 'Hi.' }, use('Bash', { command: 'ls' })] }))
    const reply = await (await post(model, body())).json()
    expect(reply).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'demo',
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Hi.' },
        { type: 'tool_use', name: 'Bash', input: { command: 'ls' }, id: expect.stringMatching(/^toolu_\w+$/) },
      ],
    })
  })

  test('streams the events of the Messages API in order', async () => {
    const model = await start(() => ({
      content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Hi.' }, use('Bash', { command: 'ls' })],
    }))
    const response = await post(model, body({ stream: true }))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = eventsOf(await response.text())
    expect(events.every(({ event, data }) => event === data.type)).toBe(true)
    expect(events.map(({ data }) => data.delta?.type ?? data.type)).toEqual([
      'message_start',
      ...['content_block_start', 'thinking_delta', 'signature_delta', 'content_block_stop'],
      ...['content_block_start', 'text_delta', 'content_block_stop'],
      ...['content_block_start', 'input_json_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ])
    expect(events.at(-2)?.data.delta.stop_reason).toBe('tool_use')
  })

  test('can be streamed word by word without losing a character', async () => {
    const text = '  Two  words\nand\n\nmore. \n'
    const input = { command: `echo '${'ü🙂'.repeat(40)}'` }
    const model = await start(() => ({ content: [{ type: 'text', text }, use('Bash', input)], chunkDelayMs: 0 }))
    const events = eventsOf(await (await post(model, body({ stream: true }))).text())
    const words = events.flatMap(({ data }) => (data.delta?.type === 'text_delta' ? [data.delta.text] : []))
    const slices = events.flatMap(({ data }) => (data.delta?.partial_json ? [data.delta.partial_json] : []))
    expect(words.length).toBeGreaterThan(3)
    expect(words.join('')).toBe(text)
    expect(slices.length).toBeGreaterThan(1)
    expect(JSON.parse(slices.join(''))).toEqual(input)
  })

  test('says what auto mode’s check thinks of each call, to an agent that wants to know', async () => {
    const calls = [
      { ...use('Bash', { command: 'ls' }), flagged: false } as const,
      use('Bash'),
      { ...use('Bash', { command: 'sh x' }), flagged: 'It is unknown.' },
    ]
    const model = await start(() => ({ content: calls }))
    const lastOf = async (more: object) =>
      eventsOf(await (await post(model, body({ stream: true, ...more }))).text()).at(-2)
    const checked = await lastOf({ safeguards: [{ type: 'dangerous_tool_use' }] })
    const [result] = checked?.data.delta.safeguard_results ?? []
    expect(Object.values(result.status.tool_uses)).toEqual([
      { type: 'evaluated', outcome: 'not_flagged' },
      { type: 'evaluated', outcome: 'flagged', explanation: 'It is unknown.' },
    ])
    expect((await lastOf({}))?.data.delta).not.toHaveProperty('safeguard_results')
  })

  test('is the same for the same conversation, also from another endpoint', async () => {
    const script = steps([use('Bash', { command: 'ls' })])
    const [first, second] = [await start(script), await start(script)]
    const replies = await Promise.all([first, first, second].map(async (model) => (await post(model, body())).json()))
    expect(replies[1]).toEqual(replies[0])
    expect(replies[2]).toEqual(replies[0])
  })

  test('gives calls of one reply, of later replies and of other conversations different ids', async () => {
    const model = await start(() => ({ content: [use('Bash'), use('Bash')] }))
    const idsOf = async (content: object) => {
      const reply = (await (await post(model, content)).json()) as { content: { id: string }[] }
      return reply.content.map(({ id }) => id)
    }
    const here = await idsOf(body())
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: here.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })) },
      { role: 'user', content: here.map((id) => ({ type: 'tool_result', tool_use_id: id, content: '' })) },
    ]
    const later = await idsOf(body({ messages }))
    const elsewhere = await idsOf(body({ messages: [{ role: 'user', content: 'another task' }] }))
    expect(new Set([...here, ...later, ...elsewhere]).size).toBe(6)
  })

  test('to a call without tools is plain text, and the script is not asked', async () => {
    const model = await start(() => {
      throw new Error('not for a side call')
    })
    const reply = await (await post(model, body({ tools: [] }))).json()
    expect(reply).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text' }] })
    expect(model.requests).toEqual([])
  })
})

describe('trouble on request', () => {
  test('an error has the status, the body and the retry header of the Messages API', async () => {
    const seen = await Promise.all(
      Object.values(errors).map(async (error) => {
        const response = await post(await start(failWith(error)), body({ stream: true }))
        return [response.status, response.headers.get('x-should-retry'), await response.json()]
      }),
    )
    expect(seen).toEqual([
      [401, 'false', { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }],
      [529, 'true', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      [500, 'true', { type: 'error', error: { type: 'api_error', message: 'Internal server error' } }],
    ])
  })

  test('a cut reply breaks off after the text that came before', async () => {
    const model = await start(() => ({ content: [{ type: 'text', text: 'Half a' }], cut: true }))
    const response = await post(model, body({ stream: true }))
    let text = ''
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
    })()
    await expect(reading).rejects.toThrow()
    expect(text).toContain('Half a')
    expect(text).not.toContain('content_block_stop')
  })

  test('closing settles a hanging reply and one that is still delayed', async () => {
    const hanging = await start(() => ({ content: [{ type: 'text', text: 'Half a' }], hang: true }))
    const delayed = await start(() => ({ ...say('late'), delayMs: 3_600_000 }))
    const response = await post(hanging, body({ stream: true }))
    const rest = response.text()
    const never = post(delayed, body())
    const settled = Promise.allSettled([rest, never])
    await Promise.all([hanging.close(), delayed.close()])
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('a script that throws gives an API error that names the reason', async () => {
    const model = await start(() => {
      throw new Error('no such step')
    })
    const response = await post(model, body())
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('no such step') } })
  })
})

describe('the endpoint', () => {
  test('counts tokens, and knows nothing else', async () => {
    const model = await start(() => say('hi'))
    expect(await (await post(model, body(), '/v1/messages/count_tokens?beta=true')).json()).toEqual({
      input_tokens: expect.any(Number),
    })
    for (const response of [await fetch(`${model.url}/v1/messages`), await post(model, '{}', '/v1/models')]) {
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    }
  })

  test.each(['', 'not json', '[]', '{"model":"x"}', '{"model":"x","messages":[{"role":"user"}]}'])(
    'refuses %j as a request',
    async (content) => {
      const response = await post(await start(() => say('hi')), content)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    },
  )

  test('takes a large conversation and refuses one over 32 MiB', async () => {
    const model = await start(() => say('hi'))
    const long = (size: number) => body({ messages: [{ role: 'user', content: 'x'.repeat(size) }] })
    expect((await post(model, long(20 * 1024 * 1024))).status).toBe(200)
    const refused = await post(model, long(32 * 1024 * 1024))
    expect(refused.status).toBe(413)
    expect(await refused.json()).toMatchObject({ error: { type: 'request_too_large' } })
  })

  test('listens on loopback only', async () => {
    await expect(startDemoModel({ script: () => say('hi'), host: '0.0.0.0' })).rejects.toThrow('loopback')
  })

  test('keeps the last 200 calls of the loop', async () => {
    const model = await start(() => say('hi'))
    for (let index = 0; index < 203; index += 1) {
      await (await post(model, body({ system: 'abc', messages: [{ role: 'user', content: `m${index}` }] }))).json()
    }
    expect(model.requests).toHaveLength(200)
    expect(model.requests[0]).toEqual({
      messages: [{ role: 'user', content: 'm3' }],
      tools: ['Bash'],
      systemLength: 3,
      subagent: false,
    })
  })
})
