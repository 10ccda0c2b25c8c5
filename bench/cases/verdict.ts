import { judge, pathsOf } from '@holdpoint/core/policy/judge'
import { STARTER_RULES } from '@holdpoint/core/policy/starter-rules'
import { HOME, PROJECT, policyCall, policyRule } from '@holdpoint/core/testing/judged'
import { ORDINARY } from '@holdpoint/core/testing/ordinary-commands'
import type { Row } from '../report.ts'
import { percentile, spread } from '../statistics.ts'

const RULES = 1000
const ROUNDS = 5
const BUDGET_MS = 1

/** The verdict on ordinary commands, parsed anew each time: the starter set, and rules of every effect for commands and files. */
export async function verdict(): Promise<readonly Row[]> {
  const starter = STARTER_RULES.map(({ effect, pattern, ...rule }) => policyRule(effect, pattern, rule))
  const effects = ['allow', 'ask', 'deny'] as const
  const others = Array.from({ length: RULES - starter.length }, (_, number) =>
    policyRule(
      effects[number % 3] ?? 'ask',
      number % 2 === 0 ? `Bash(make target-${number} *)` : `Edit(${PROJECT.slice(1)}/part-${number}/**)`,
    ),
  )
  const rules = [...starter, ...others]
  const calls = ORDINARY.map(({ command }) => policyCall({ type: 'command', command }))
  const facts = calls.map((call) => ({
    now: 1,
    realPaths: new Map(pathsOf(call).map((path) => [path, path])),
    hashes: new Map(),
    guarded: [`${HOME}/.holdpoint`, `${HOME}/.claude`],
  }))
  const times: number[] = []
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, call] of calls.entries()) {
      const given = facts[index]
      if (!given) continue
      const from = performance.now()
      judge(rules, call, given)
      if (round > 0) times.push(performance.now() - from)
    }
  }
  return [
    {
      what: `verdict on ${calls.length.toLocaleString('en')} ordinary commands, ${RULES.toLocaleString('en')} rules (${ROUNDS} times), p50 / p95 / p99`,
      measured: spread(times),
      budget: `p99 ≤ ${BUDGET_MS} ms`,
      met: percentile(times, 0.99) <= BUDGET_MS,
    },
  ]
}
