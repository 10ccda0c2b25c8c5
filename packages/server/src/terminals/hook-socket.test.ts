import { lstat, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttachedAgents, createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import type { HookCall, HookReply } from '@holdpoint/agents/claude/attached/hook-call'
import { hookSocket, readToken } from '@holdpoint/agents/claude/hooks/hook-access'
import { runningProcess } from '@holdpoint/agents/processes/processes'
import { startClaudeWithHook } from '@holdpoint/agents/testing/claude-with-hook'
import { PROGRAMS } from '@holdpoint/agents/testing/run-hook-program'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { callHooks } from '@holdpoint/testing/terminal/hook-client'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

const HOOK = { session_id: 'one', hook_event_name: 'PermissionRequest', cwd: '/', tool_name: 'Bash', tool_input: {} }
const QUERY = { pid: String(process.pid), parent: String(process.pid) }

/** Agents that keep every hook waiting. */
function waitingAgents() {
  const calls: { call: HookCall; signal: AbortSignal }[] = []
  const { records } = createMemoryStore()
  const attached: AttachedAgents = {
    ...createAttachedAgents({ records, clock: systemClock, warn: () => {} }),
    hook: (call, signal) =>
      new Promise<HookReply>((resolve) => {
        calls.push({ call, signal })
        signal.addEventListener('abort', () => resolve({}), { once: true })
      }),
  }
  return { calls, attached }
}

describe('the socket of hooks', () => {
  it('[T54] is for this user alone, and goes with the gateway', async () => {
    const test = await startTestGateway()
    const path = hookSocket(test.dataDir)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await test.gateway.close()
    await expect(lstat(path)).rejects.toThrow('ENOENT')
    await rm(test.dataDir, { recursive: true })
  })

  it('takes the place of one that a killed gateway has left', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hp-left-'))
    await using _ = { [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }) }
    const dead = createServer()
    await new Promise<void>((resolve) => dead.listen(join(dataDir, 'dead.sock'), resolve))
    // Out of the way of its own tidying up.
    await rename(join(dataDir, 'dead.sock'), hookSocket(dataDir))
    await new Promise((resolve) => dead.close(resolve))
    await using __ = await startTestGateway({ dataDir })
    const reply = await callHooks(dataDir, { query: QUERY, body: { ...HOOK, hook_event_name: 'Stop' } })
    expect(reply.status).toBe(204)
  })

  it('[T5] has the one route, and the port has it not', async () => {
    await using test = await startTestGateway()
    const headers = { authorization: `Bearer ${readToken(test.dataDir)}` }
    for (const { method, path } of test.gateway.routes) {
      const status = (await callHooks(test.dataDir, { method, path })).status
      expect(status, `${method} ${path}`).toBe(404)
    }
    for (const path of ['/', '/index.html', '/api/me', '/metrics'])
      expect((await callHooks(test.dataDir, { method: 'GET', path })).status, path).toBe(404)
    for (const path of ['/hook', '/api/terminals/hook']) {
      const reply = await fetch(test.gateway.url + path, { method: 'POST', headers })
      expect(reply.status, path).toBe(404)
    }
  })

  it.each([
    ['another host', { host: 'localhost' }, 421],
    ['a page', { origin: 'http://holdpoint' }, 403],
    ['no credential', { authorization: '' }, 401],
    ['no JSON', { 'content-type': 'text/plain' }, 415],
  ])('refuses %s, and the log says so once', async (_name, headers, status) => {
    await using test = await startTestGateway()
    for (let count = 0; count < 3; count++)
      expect((await callHooks(test.dataDir, { query: QUERY, body: HOOK, headers })).status).toBe(status)
    const said = () => test.logged.filter((line) => line.includes('terminal_hook_refused'))
    await until(() => said().length > 0, 'the log')
    expect(said()).toHaveLength(1)
    expect(said()[0]).toContain(String(status))
  })
})

describe('the log', () => {
  it('says nothing of a look whether hooks are heard, nor of those that a gateway sends on as it goes', async () => {
    const { records } = createMemoryStore()
    const attached = createAttachedAgents({ records, clock: systemClock, warn: () => {} })
    const test = await startTestGateway({ terminals: { attached, projects: '' } })
    expect((await callHooks(test.dataDir, { method: 'GET' })).status).toBe(204)
    const asking = callHooks(test.dataDir, { query: QUERY, body: HOOK })
    await until(async () => (await test.api.openAsks()).length > 0, 'the ask')
    await test.gateway.close()
    expect((await asking).status).toBe(503)
    expect(test.logged.filter((line) => line.includes('terminal_hook_refused'))).toEqual([])
    await rm(test.dataDir, { recursive: true })
  })

  it('has a look with another credential, as with any hook of one (I8)', async () => {
    await using test = await startTestGateway()
    const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'raiser' })
    const body = { code, bearer: true, name: 'another' }
    const { token } = await test.api.ok<{ token: string }>('POST', '/api/login', body)
    for (const [authorization, status] of [
      [`Bearer ${token}`, 403],
      ['', 401],
    ] as const)
      expect((await callHooks(test.dataDir, { method: 'GET', headers: { authorization } })).status).toBe(status)
    await until(() => test.logged.filter((line) => line.includes('terminal_hook_refused')).length === 2, 'the log')
  })
})

describe.each(PROGRAMS)('a hook, by $name', (program) => {
  const input = JSON.stringify(HOOK)

  it('tells which Claude Code asks', async () => {
    const { calls, attached } = waitingAgents()
    await using test = await startTestGateway({ terminals: { attached, projects: '' } })
    await using claude = await startClaudeWithHook(program, { dataDir: test.dataDir, input })
    const { call } = await until(() => calls[0], 'the call')
    const startedAt = Number((await runningProcess(claude.pid))?.startTime)
    expect(call).toMatchObject({ hook: HOOK, process: { pid: claude.pid, startedAt } })
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves nothing behind when it alone gets %s', async (signal) => {
    const { calls, attached } = waitingAgents()
    await using test = await startTestGateway({ terminals: { attached, projects: '' } })
    await using claude = await startClaudeWithHook(program, { dataDir: test.dataDir, input })
    const call = await until(() => calls[0], 'the call')
    expect(call.signal.aborted).toBe(false)
    process.kill(claude.hookPid, signal)
    await until(() => call.signal.aborted, 'the gateway to know')
    await until(async () => (await claude.left()).length === 0, 'all of it to end')
  })

  it('ends when Claude Code is killed', async () => {
    await using test = await startTestGateway()
    await using claude = await startClaudeWithHook(program, { dataDir: test.dataDir, input })
    await until(async () => (await test.api.openAsks()).length > 0, 'the ask')
    expect(await claude.left()).not.toEqual([])
    await claude.kill()
    await until(async () => (await claude.left()).length === 0, 'the hook to end')
    await until(async () => (await test.api.openAsks()).length === 0, 'the ask to go')
  })
})
