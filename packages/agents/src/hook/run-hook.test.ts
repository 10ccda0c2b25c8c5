import { readFileSync } from 'node:fs'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CERTIFICATE, CERTIFICATE_KEY } from './fixtures/certificate.ts'
import { ALLOW, type Answer, FakeGateway, reply } from './fixtures/fake-gateway.ts'
import { type HookTimes, runHook } from './run-hook.ts'

const PERMISSION = { session_id: 's', hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} }
const TIMES: HookTimes = { replyMs: 60_000, unreachableMs: 60_000, heldMs: 60_000 }
const allow: Answer = (call) => reply(call, 200, { output: ALLOW })
const nothing: Answer = () => {}

function run(gateway: FakeGateway, input: unknown = PERMISSION, times: Partial<HookTimes> = {}) {
  const bytes = Buffer.from(typeof input === 'string' ? input : JSON.stringify(input))
  return runHook({ dataDir: gateway.dataDir, input: bytes, process: { pid: 7, startedAt: 8 } }, { ...TIMES, ...times })
}

function logOf(gateway: FakeGateway): string {
  return readFileSync(join(gateway.dataDir, 'hook.log'), 'utf8')
}

describe('an ask', () => {
  it('goes on as it came, and its outcome comes back as it was sent (I6)', async () => {
    await using gateway = await FakeGateway.start(allow)
    const input = '{ "hook_event_name":"PermissionRequest",\t"n": 12345678901234567890.10, "n": 2, "t":"\\ud83d" }\n'
    expect(await run(gateway, input)).toEqual(ALLOW)
    const [call] = gateway.calls
    expect(call?.path).toBe('/api/terminals/hook')
    expect(call?.headers).toMatchObject({ authorization: 'Bearer a-raiser', 'content-type': 'application/json' })
    expect(call?.text).toContain(`{"hook":${input},"requestId":`)
    expect(call?.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(call?.process).toEqual({ pid: 7, startedAt: 8 })
  })

  it.each([204, 200])('leaves the terminal alone when status %i says nothing', async (status) => {
    await using gateway = await FakeGateway.start((call) => reply(call, status, status === 200 ? {} : undefined))
    expect(await run(gateway)).toBeUndefined()
    expect(gateway.calls).toHaveLength(1)
  })

  it('comes again with the same request id to a gateway that was started again elsewhere (I5)', async () => {
    await using gateway = await FakeGateway.start(() => void gateway.stop().then(() => gateway.start(allow)))
    const ports = [gateway.port]
    expect(await run(gateway)).toEqual(ALLOW)
    ports.push(gateway.port)
    expect(new Set(ports).size).toBe(2)
    expect(new Set(gateway.calls.map((call) => call.requestId)).size).toBe(1)
    expect(gateway.calls).toHaveLength(2)
  })

  it.each([409, 429, 500, 503])('tries again after status %i', async (status) => {
    await using gateway = await FakeGateway.start((call, nth) =>
      nth < 3 ? reply(call, status, { output: ALLOW }) : reply(call, 200, { output: ALLOW }),
    )
    expect(await run(gateway)).toEqual(ALLOW)
    expect(gateway.calls).toHaveLength(3)
  })

  it('gives up on a gateway that stays away', async () => {
    await using gateway = await FakeGateway.start(() => void gateway.stop())
    expect(await run(gateway, PERMISSION, { unreachableMs: 250 })).toBeUndefined()
  })

  it('gives up on one that only ever breaks off', async () => {
    await using gateway = await FakeGateway.start((call) => call.response.destroy())
    expect(await run(gateway, PERMISSION, { unreachableMs: 250 })).toBeUndefined()
    expect(gateway.calls.length).toBeGreaterThan(1)
  })

  it('has the whole time again after it was held', async () => {
    await using gateway = await FakeGateway.start((call, nth) =>
      nth < 5 ? call.response.destroy() : reply(call, 200, { output: ALLOW }),
    )
    // A fresh start each time, so the pauses do not grow past the limit either.
    expect(await run(gateway, PERMISSION, { unreachableMs: 150, heldMs: -1 })).toEqual(ALLOW)
  })

  it.each([400, 401, 403, 404, 413, 422, 302])('is dropped at once after status %i, with a line', async (status) => {
    await using gateway = await FakeGateway.start((call) => reply(call, status, { output: ALLOW }))
    expect(await run(gateway)).toBeUndefined()
    expect(gateway.calls).toHaveLength(1)
    expect(logOf(gateway)).toMatch(new RegExp(`Z PermissionRequest: .*status ${status}\\n$`))
  })
})

describe('nothing is taken for an allow that is none (I4)', () => {
  it('a reply that breaks off', async () => {
    const text = JSON.stringify({ output: ALLOW })
    await using gateway = await FakeGateway.start((call, nth) => {
      if (nth > 1) return reply(call, 204)
      call.response.writeHead(200, { 'content-length': text.length + 1 })
      call.response.write(text, () => call.response.destroy())
    })
    expect(await run(gateway)).toBeUndefined()
    expect(gateway.calls).toHaveLength(2)
  })

  it.each([
    ['another event', { output: { hookSpecificOutput: { ...ALLOW.hookSpecificOutput, hookEventName: 'PreToolUse' } } }],
    ['no event', { output: { hookSpecificOutput: { decision: { behavior: 'allow' } } } }],
    ['a text', { output: JSON.stringify(ALLOW) }],
    ['a list', { output: [ALLOW] }],
    ['null', { output: null }],
    ['a reply that is no object', [{ output: ALLOW }]],
  ])('%s', async (_name, body) => {
    await using gateway = await FakeGateway.start((call) => reply(call, 200, body))
    expect(await run(gateway)).toBeUndefined()
    expect(logOf(gateway)).toContain('PermissionRequest: ')
  })

  it('a reply that is no JSON', async () => {
    await using gateway = await FakeGateway.start((call) => call.response.end(`${JSON.stringify({ output: ALLOW })}}`))
    expect(await run(gateway)).toBeUndefined()
  })

  it("whoever took a dead gateway's port learns and decides nothing", async () => {
    await using gateway = await FakeGateway.start(allow)
    await gateway.leaveFolder()
    expect(await run(gateway)).toBeUndefined()
    // One that is starting has the folder, but no address yet; or another one than the file still says.
    await gateway.holdFolder('')
    expect(await run(gateway)).toBeUndefined()
    await gateway.holdFolder('http://127.0.0.1:1')
    expect(await run(gateway)).toBeUndefined()
    expect(gateway.calls).toEqual([])
  })

  it('nothing goes unencrypted over a network', async () => {
    await using gateway = await FakeGateway.start(allow)
    gateway.writeTerminalFile({ url: `http://192.0.2.1:${gateway.port}`, token: 'a-raiser' })
    expect(await run(gateway)).toBeUndefined()
    gateway.writeTerminalFile({ url: gateway.url, token: '' })
    expect(await run(gateway)).toBeUndefined()
    expect(gateway.calls).toEqual([])
  })

  it.each(['', 'words', '[]', 'null', '{}', '{"hook_event_name":5}', '{"hook_event_name":"PermissionRequest"'])(
    'input %j is not passed on',
    async (input) => {
      await using gateway = await FakeGateway.start(allow)
      expect(await run(gateway, input)).toBeUndefined()
      expect(gateway.calls).toEqual([])
    },
  )
})

describe("the agent's life", () => {
  it('is told once, and nobody waits long for the reply', async () => {
    await using gateway = await FakeGateway.start(nothing)
    expect(await run(gateway, { hook_event_name: 'Stop' }, { replyMs: 30 })).toBeUndefined()
    expect(gateway.calls.map((call) => call.hook)).toEqual([{ hook_event_name: 'Stop' }])
  })

  it('is not told again when the gateway is busy', async () => {
    await using gateway = await FakeGateway.start((call) => reply(call, 503))
    expect(await run(gateway, { hook_event_name: 'Stop' })).toBeUndefined()
    expect(gateway.calls).toHaveLength(1)
  })
})

describe('over TLS', () => {
  async function secured(gateway: FakeGateway, file: (port: number) => unknown) {
    const server = createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (_request, response) => {
      response.end(JSON.stringify({ output: ALLOW }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      gateway.writeTerminalFile(file(port))
      await gateway.holdFolder(`https://0.0.0.0:${port}`)
      return await run(gateway)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  it('takes the certificate that the gateway wrote down, and no other', async () => {
    await using gateway = await FakeGateway.start(nothing)
    const url = (port: number) => `https://127.0.0.1:${port}`
    expect(await secured(gateway, (port) => ({ url: url(port), token: 'x', ca: CERTIFICATE }))).toEqual(ALLOW)
    expect(await secured(gateway, (port) => ({ url: url(port), token: 'x' }))).toBeUndefined()
  })
})
