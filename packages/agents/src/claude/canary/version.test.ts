import { say } from '@holdpoint/demo-model/script'
import { launch, startRealClaude } from '@holdpoint/testing/real-claude'
import { expect, test } from 'vitest'
import { assertMeasuredVersion, measured } from './measured-version.ts'

test('the installed SDK is the one these facts were measured on', assertMeasuredVersion)

test('it starts the Claude Code these facts were measured on', { timeout: 30_000 }, async () => {
  await using claude = await startRealClaude({ script: () => say('hi'), options: launch })
  const ready = (await claude.query.initializationResult()) as { claude_code_version?: string }
  expect(ready.claude_code_version, 're-measure and record').toBe(measured.claudeCode)
  await claude.result()
  expect(claude.messages.find((message) => message.type === 'system' && message.subtype === 'init')).toMatchObject({
    claude_code_version: measured.claudeCode,
    permissionMode: 'default',
    cwd: claude.cwd,
    mcp_servers: [],
  })
})

test('it is ready before the first message, and says init only after', { timeout: 30_000 }, async () => {
  await using claude = await startRealClaude({ script: () => say('hi'), options: launch, prompt: null })
  await claude.query.initializationResult()
  expect(claude.messages).toEqual([])
  claude.send('go')
  await claude.result()
  expect(claude.messages[0]).toMatchObject({ type: 'system', subtype: 'init' })
})
