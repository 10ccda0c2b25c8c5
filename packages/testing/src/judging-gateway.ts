import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { PolicyRule } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import { createSyntheticDriver, type SyntheticAgent } from './synthetic-driver.ts'
import { startTestGateway } from './test-gateway.ts'

/** A gateway whose synthetic agent makes calls that rules judge as Claude Code's: its verdict counts, as in the hook. */
export async function startJudgingGateway(options: Parameters<typeof startTestGateway>[0] = {}) {
  const claude = createSyntheticDriver('claude')
  const driver = { ...claude.driver, actionOf: callAction }
  const test = await startTestGateway({ drivers: () => [driver], ...options })
  const project = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-judged-')))
  let calls = 0

  async function session(cwd = project) {
    const started = await test.api.ok<Session>('POST', '/api/sessions', { agent: 'claude', cwd })
    return { session: started, agent: await claude.agentOf(started.id) }
  }
  const first = await session()

  /** Asks for a call; what a rule decides it gives back at once. */
  function call(
    tool: { readonly name: string; readonly input: Record<string, unknown> },
    given: Partial<AskRequest> & { readonly agent?: SyntheticAgent } = {},
  ): Promise<Outcome> {
    const { agent = first.agent, ...more } = given
    const request: AskRequest = {
      requestId: `call-${++calls}`,
      kind: 'approval',
      tool,
      title: tool.name,
      context: { cwd: project },
      suggestions: [],
      flags: { defaultToNo: false, noRemember: false },
      ...more,
    }
    return agent.start.ask(request, { signal: new AbortController().signal, mayRuleAllow: true })
  }

  return {
    ...test,
    ...first,
    project,
    newSession: session,
    call,
    bash: (command: string, given?: Parameters<typeof call>[1]) => call({ name: 'Bash', input: { command } }, given),
    addRule: (rule: object) => test.api.ok<PolicyRule>('POST', '/api/policy/rules', rule),
    policyState: () => test.api.ok<PolicyState>('GET', '/api/policy'),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await rm(project, { recursive: true, force: true })
    },
  }
}
