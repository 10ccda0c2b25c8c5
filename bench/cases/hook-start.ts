import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hookCommand } from '@holdpoint/agents/claude/hooks/hook-command'
import { FakeGateway, reply } from '@holdpoint/agents/testing/fake-gateway'
import { temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, spread } from '../statistics.ts'

const ROUNDS = 40
const BUDGET_MS = 60
const INPUT = JSON.stringify({ session_id: 's', hook_event_name: 'PostToolUse', tool_response: 'x'.repeat(2000) })

/** Claude Code runs a hook for every tool call: from its start until the gateway has what it brings. */
export async function hookStart(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const empty = join(folder.path, 'empty.cjs')
  await writeFile(empty, '')
  let arrived = 0
  await using gateway = await FakeGateway.start((call) => {
    arrived = performance.now()
    reply(call, 204)
  })
  const hookMain = fileURLToPath(new URL('../hook.sh', import.meta.url))
  const command = hookCommand({ node: process.execPath, hookMain, dataDir: gateway.dataDir })

  async function run(program: string, args: readonly string[], env: Record<string, string>): Promise<number> {
    const from = performance.now()
    arrived = 0
    const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.on('error', () => {})
    child.stdin.end(INPUT)
    await once(child, 'exit')
    return (arrived || performance.now()) - from
  }
  // What the script runs where the system has no curl.
  const hookJs = fileURLToPath(new URL('../hook.js', import.meta.url))
  const node = `'${process.execPath}' '${hookJs}' --data '${gateway.dataDir}' --parent "$PPID"`
  const PATH = process.env.PATH ?? ''
  const programs = {
    bare: () => run(process.execPath, [empty], { PATH }),
    life: () => run('/bin/sh', ['-c', `${command} --life`], { PATH }),
    ask: () => run('/bin/sh', ['-c', command], { PATH }),
    node: () => run('/bin/sh', ['-c', `exec ${node} --life`], { PATH }),
  }
  const taken: Record<keyof typeof programs, number[]> = { bare: [], life: [], ask: [], node: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(programs) as (keyof typeof programs)[]) taken[name].push(await programs[name]())
  }
  if (gateway.calls.length !== ROUNDS * 3) throw new Error(`${gateway.calls.length} calls came`)
  const row = (what: string, values: readonly number[]): Row => ({
    what: `${what}: from its start until the gateway has its call (${ROUNDS} times), p50 / p95 / p99`,
    measured: spread(values),
    against: `Node on an empty file ${spread(taken.bare)}`,
    ratio: median(values) / median(taken.bare),
  })
  const budget = (values: readonly number[]) => ({
    budget: `p50 < ${BUDGET_MS} ms`,
    met: median(values) < BUDGET_MS,
  })
  return [
    { ...row('hook that tells of a tool call', taken.life), ...budget(taken.life) },
    { ...row('hook that asks', taken.ask), ...budget(taken.ask) },
    row('hook where there is no curl', taken.node),
  ]
}
