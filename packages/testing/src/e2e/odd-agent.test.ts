import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLAUDE_VERSION } from '@holdpoint/agents/claude/program/install-sdk'
import { steps } from '@holdpoint/demo-model/scenarios'
import { expect, it, onTestFinished } from 'vitest'
import { LONG, report } from '../long.ts'
import { until } from '../until.ts'
import { startRealGateway } from './real-gateway.ts'

const NOISE = LONG ? 100_000 : 2000

/** A program in Claude Code's place. What it is told says what it does. */
async function oddClaude(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hp-odd-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'claude')
  await writeFile(
    file,
    `#!${process.execPath}
if (process.argv.includes('--version')) { console.log('${CLAUDE_VERSION} (Claude Code)'); process.exit(0) }
const { randomUUID } = require('node:crypto')
const session_id = randomUUID()
const print = (value) => process.stdout.write(JSON.stringify({ uuid: randomUUID(), session_id, parent_tool_use_id: null, ...value }) + '\\n')
const init = { type: 'system', subtype: 'init', permissionMode: 'default', claude_code_version: '${CLAUDE_VERSION}', mcp_servers: [], tools: [], model: 'none', slash_commands: [] }
const say = (text) => print({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } })
const done = () => print({ type: 'result', subtype: 'success', is_error: false, result: 'ok', duration_ms: 1, num_turns: 1, usage: {}, total_cost_usd: 0 })
const refuse = (id) => {
  print({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'true' } }] } })
  const content = 'Tool permission stream closed before response received'
  print({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content }] } })
}
const ODD = ['', '\\r', '{"type":"assistant"', 'Warning: something', '[1,2]', 'null', '"text"', '{}', '{"type":7}', '{"type":"nobody_knows_this"}', '{"type":"assistant","message":null}', '{"type":"user","message":{"content":7}}', '{"type":"control_request"}', '{"type":"control_request","request_id":"x","request":{"subtype":"nobody_knows_this"}}', '{"type":"control_response"}', '\\u0000\\ufffd']
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.type === 'control_request') process.stdout.write(JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response: { commands: [], models: [], hook_on_failure_supported: true, hooks_applied: true } } }) + '\\n')
  if (message.type !== 'user') return
  const text = JSON.stringify(message.message)
  print(init)
  if (text.includes('closed')) {
    refuse('one')
    refuse('two')
    // For ever, if nobody ends it.
    return setInterval(() => refuse(randomUUID()), 200)
  }
  if (text.includes('noise')) for (let count = 0; count < ${NOISE}; count++) process.stdout.write(ODD[(count * 7919) % ODD.length] + (count % 3 ? '\\n' : '\\r\\n'))
  say('still here')
  done()
})
`,
  )
  await chmod(file, 0o755)
  return file
}

const idle = steps([])

it('F37 an agent that speaks garbage fails alone, and does not hang; F40 one that cannot ask any more is ended, taken up again once in a gateway’s life, and says so', async () => {
  const HOLDPOINT_CLAUDE = await oddClaude()
  await using real = await startRealGateway({
    scripts: { noise: idle, closed: idle, fine: idle },
    env: { HOLDPOINT_CLAUDE },
  })
  const fine = await real.session('fine')
  const refused = await real.session('closed')
  // Taken up again, once: then it waits for somebody to say what next.
  const again = await until(async () => {
    const now = await refused.read()
    return now.epoch === 2 && now.state === 'user_turn' && now
  }, 'its next life')
  expect(again.error).toBeUndefined()
  await refused.send('closed again')
  const closed = await refused.ended()
  expect(closed).toMatchObject({ epoch: 2, endReason: 'error', error: { code: 'stream-closed' } })
  expect(closed.error?.message).toContain('resume the session')

  const noisy = await real.session('noise')
  const after = await until(async () => {
    const now = await noisy.read()
    return (now.state === 'dead' || now.state === 'user_turn') && now
  }, 'its end, or the end of its turn')
  report(`F37: ${NOISE} odd lines, and the session is ${after.state}${after.error ? ` (${after.error.code})` : ''}`)
  if (after.state === 'dead') expect(after.error?.message).toBeTruthy()
  const other = await until(async () => {
    const now = await fine.read()
    return now.state === 'user_turn' && now
  }, 'the other to be there')
  expect(other.error).toBeUndefined()
})
