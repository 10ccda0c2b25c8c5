import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OfferedRules } from '@holdpoint/schema/endpoints/asks'
import { expect, it } from 'vitest'
import { hook, startEmbedding } from './fixtures/embedding.ts'

it.each([
  join(homedir(), '.claude', 'settings.json'),
  join(homedir(), '.claude.json'),
  fileURLToPath(new URL('./create-holdpoint.ts', import.meta.url)),
])('T71 asks before %s is changed, in bypassPermissions too', async (path) => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd, permissionMode: 'bypassPermissions' })
  const deciding = hook(session, 'PreToolUse', {
    tool_name: 'Write',
    tool_input: { file_path: path, content: '{}' },
    tool_use_id: 'toolu_1',
    cwd: embedding.cwd,
    permission_mode: 'bypassPermissions',
  })
  const ask = await Promise.race([embedding.ask(session), deciding])
  expect(ask).toMatchObject({ askedBecause: { reason: expect.stringContaining('guarded') } })
})

it('explains and offers rules by what a call does, as the gate judges it', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd, gate: 'everything' })
  const sudo = { effect: 'deny', agent: '*', pattern: 'Bash(sudo *)', scope: { kind: 'everywhere' } }
  await embedding.call('POST', '/api/policy/rules', sudo)
  const call = { tool: 'Bash', input: { command: 'sudo ls' }, cwd: embedding.cwd }
  expect((await embedding.call('POST', '/api/policy/explain', call)).body).toMatchObject({ effect: 'deny' })
  void hook(session, 'PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command: 'ls -l' },
    tool_use_id: 'toolu_1',
    cwd: embedding.cwd,
  })
  const ask = await embedding.ask(session)
  const { body } = await embedding.call<OfferedRules>('GET', `/api/asks/${ask.id}/rules`)
  expect(body.rules.map(({ pattern }) => pattern)).toContain('Bash(ls -l)')
})
