import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLAUDE_VERSION } from '@holdpoint/agents/claude/program/install-sdk'
import { steps } from '@holdpoint/demo-model/scenarios'
import { expect, it, onTestFinished } from 'vitest'
import { startRealGateway } from './real-gateway.ts'

/** A program in Claude Code's place, which says it is this version and has these MCP servers. */
async function fakeClaude(version: string, servers: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hp-fake-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'claude')
  const init = {
    type: 'system',
    subtype: 'init',
    uuid: '00000000-0000-4000-8000-000000000001',
    session_id: '00000000-0000-4000-8000-000000000002',
    permissionMode: 'default',
    claude_code_version: version,
    mcp_servers: servers.map((name) => ({ name, status: 'connected' })),
    tools: [],
    model: 'none',
    slash_commands: [],
  }
  await writeFile(
    file,
    `#!${process.execPath}
if (process.argv.includes('--version')) { console.log('${version} (Claude Code)'); process.exit(0) }
const print = (value) => console.log(JSON.stringify(value))
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.type === 'control_request') print({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response: { commands: [], models: [], hook_on_failure_supported: true, hooks_applied: true } } })
  if (message.type === 'user') print(${JSON.stringify(init)})
})
`,
  )
  await chmod(file, 0o755)
  return file
}

it('[T57] an agent below the floor is refused, with a sentence', async () => {
  const HOLDPOINT_CLAUDE = await fakeClaude('1.0.0', [])
  await using real = await startRealGateway({ scripts: { idle: steps([]) }, env: { HOLDPOINT_CLAUDE } })
  const ended = await (await real.session('idle')).ended()
  expect(ended).toMatchObject({ endReason: 'error', error: { code: 'agent-too-old' } })
  expect(ended.error?.message).toContain(`is version 1.0.0. Holdpoint needs ${CLAUDE_VERSION} or newer`)
})

it('[T57] an MCP server that nobody set up ends the session, except in a trusted folder', async () => {
  const HOLDPOINT_CLAUDE = await fakeClaude(CLAUDE_VERSION, ['evil'])
  await using real = await startRealGateway({ scripts: { idle: steps([]) }, env: { HOLDPOINT_CLAUDE } })
  const trusted = await real.session('idle', { trust: true })
  const ended = await (await real.session('idle')).ended()
  expect(ended).toMatchObject({ endReason: 'error', error: { code: 'unknown-mcp-server' } })
  expect(ended.error?.message).toContain('(evil)')
  expect((await trusted.read()).state).not.toBe('dead')
})
