import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeCommand } from '@holdpoint/agents/claude/hooks/hook-command'
import { apiClient } from '@holdpoint/testing/api-client'
import { startGatewayProcess, TOKEN, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, spread } from '../statistics.ts'

const ROUNDS = 40
const RULES = 200
const BUDGET_MS = 25

/** Claude Code waits for the hook before each call: from its start until its verdict is printed, with a real gateway. */
export async function hookVerdict(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using project = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path })
  const api = apiClient(gateway.ready.url, TOKEN)
  const add = (effect: string, pattern: string) =>
    api.ok('POST', '/api/policy/rules', { effect, agent: 'claude', pattern, scope: { kind: 'everywhere' } })
  for (let index = 0; index < RULES; index++) await add('allow', `Bash(make target-${index})`)
  await add('allow', 'Bash(touch allowed)')
  await add('deny', 'Bash(touch denied)')
  const id = randomUUID()
  const transcripts = join(project.path, 'claude', 'projects', '-p')
  await mkdir(transcripts, { recursive: true })
  await writeFile(join(transcripts, `${id}.jsonl`), '')
  const hookMain = fileURLToPath(new URL('../hook.sh', import.meta.url))
  const line = beforeCommand({ node: process.execPath, hookMain, dataDir: folder.path }, 'deny')

  async function run(command: string, decision: string | undefined): Promise<number> {
    const input = JSON.stringify({
      session_id: id,
      cwd: project.path,
      transcript_path: join(transcripts, `${id}.jsonl`),
      hook_event_name: 'PreToolUse',
      permission_mode: 'default',
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: `toolu_${randomUUID()}`,
    })
    const from = performance.now()
    const child = spawn('/bin/sh', ['-c', line], { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString()
    })
    child.stdin.end(input)
    await once(child, 'close')
    const took = performance.now() - from
    const printed = JSON.parse(said) as { hookSpecificOutput?: { permissionDecision: string } }
    if (printed.hookSpecificOutput?.permissionDecision !== decision) throw new Error(`${command}: ${said}`)
    return took
  }
  const calls = {
    'has no opinion': { command: 'ls', decision: undefined },
    allows: { command: 'touch allowed', decision: 'allow' },
    denies: { command: 'touch denied', decision: 'deny' },
  }
  const names = Object.keys(calls) as (keyof typeof calls)[]
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    (typeof names)[number],
    number[]
  >
  // The first one begins the session.
  await run('ls', undefined)
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) taken[name].push(await run(calls[name].command, calls[name].decision))
  return names.map((name) => ({
    what: `hook before a call that ${name}, ${RULES} rules: from its start until it has printed that (${ROUNDS} times), p50 / p95 / p99`,
    measured: spread(taken[name]),
    budget: `p50 ≤ ${BUDGET_MS} ms`,
    met: median(taken[name]) <= BUDGET_MS,
  }))
}
