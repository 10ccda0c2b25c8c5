import { randomUUID } from 'node:crypto'
import { askUserQuestion } from '@holdpoint/agents/claude/asks/ask-user-question'
import { exitPlanMode } from '@holdpoint/agents/claude/asks/exit-plan-mode'
import { deny, permissionResult } from '@holdpoint/agents/claude/asks/permission-result'
import type { Ask, ToolInput } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import type { SettledAsk } from './ask/ask-result.ts'
import { within } from './ask/within.ts'
import type { AskedFor } from './asker.ts'
import { holdMs } from './mcp/hold-limit.ts'
import { type Extra, faultWords, type ToolDeps, textResult, withProgress } from './mcp-call.ts'

/** Our no is 5 seconds earlier than the client's limit (`hold-limit.ts`): the withdrawal has to fit in between. */
const WITHDRAW_MS = 3000

const NOBODY = 'Nobody answered in time. This is not a refusal: nobody was there.'

interface Call {
  readonly name: string
  readonly input: ToolInput
}

type PromptReply = ReturnType<typeof permissionResult>

/** Claude Code's `--permission-prompt-tool`. Whatever goes wrong is a no (I4). */
export function addApproveTool(
  server: McpServer,
  { asker, flags, limitMs }: ToolDeps & { readonly limitMs: number | undefined },
): void {
  server.registerTool(
    'approve',
    {
      title: 'Approve a tool call',
      description:
        'For "claude --permission-prompt-tool mcp__holdpoint__approve" only: puts a call to a person. Do not call it yourself.',
      inputSchema: {
        tool_name: z.string().min(1),
        input: z.record(z.string(), z.unknown()),
        tool_use_id: z.string().optional(),
      },
    },
    async ({ tool_name: name, input }, extra) => {
      const verdict = await decide({ name, input }, extra).catch((error: unknown) => deny(faultWords(error, flags)))
      return textResult(JSON.stringify(verdict))
    },
  )

  async function decide(call: Call, extra: Extra): Promise<PromptReply> {
    const limit = holdMs({ limitMs, hearsProgress: extra._meta?.progressToken !== undefined, environment: process.env })
    const asked = await askedFor(call)
    if ('refusal' in asked) return deny(asked.refusal)
    // The gateway lets it expire at the same limit, so that people see how long it can be answered.
    const ask = await asker.raise({ ...asked, timeoutMs: limit })
    if (canonicalJson(ask.tool?.input) !== canonicalJson(call.input)) {
      await asker.withdraw(ask)
      return deny('The call could not be recorded as it is, so nobody was asked.')
    }
    const over = AbortSignal.any([extra.signal, AbortSignal.timeout(limit)])
    const settled = await withProgress(extra, () => asker.outcome(ask, over))
    if (settled) return told(settled)
    // Cancelled by the client, or the gateway is away: nobody must be able to allow what has been refused. Where it is
    // away, it is told when it is back.
    const outcome = await within(WITHDRAW_MS, asker.withdraw(ask)).catch(() => undefined)
    return outcome ? told({ ...ask, outcome }) : deny(NOBODY)
  }
}

/** What a person is asked about this call. Questions and plans have cards of their own. */
async function askedFor({ name, input }: Call): Promise<AskedFor | { readonly refusal: string }> {
  // Not the `tool_use_id`: servers of models may give it twice, and the second call would get the answer to the first (F44).
  const shared = { requestId: randomUUID(), title: name, tool: { name, input } }
  if (askUserQuestion.matches(name, input)) {
    const part = await askUserQuestion.toAsk({ name, input })
    return 'refusal' in part ? part : { ...shared, kind: 'question', title: part.title, questions: part.questions }
  }
  if (exitPlanMode.matches(name, input)) {
    const part = await exitPlanMode.toAsk({ name, input })
    if ('refusal' in part) return part
    return { ...shared, kind: 'plan', title: part.title, plan: { text: part.plan?.text ?? '' } }
  }
  return { ...shared, kind: 'approval' }
}

/** An ask that was withdrawn because the time was over has had no answer either. */
function told(ask: SettledAsk): PromptReply {
  if (ask.outcome.kind === 'withdrawn') return deny(NOBODY)
  return permissionResult(ask, ask.outcome, 'deny', () => approvedInput(ask))
}

/** From the record alone: what was shown, or what the person made of it (I6). */
function approvedInput(ask: SettledAsk): ToolInput {
  const { tool, outcome } = ask
  const answer = outcome.answer ?? {}
  if (!tool) throw new Error('the ask has lost its call')
  switch (ask.kind) {
    case 'approval':
      return (answer.updatedInput as ToolInput | undefined) ?? tool.input
    case 'question':
      return askUserQuestion.fromOutcome(answered(ask, tool.input), outcome)
    // With its text: otherwise the agent would go on with whatever the plan's file holds by then.
    case 'plan':
      return { ...tool.input, plan: answer.plan ?? ask.plan?.text ?? '' }
    case 'form':
      throw new Error('no call is put to people as a form')
    default:
      return ask.kind satisfies never
  }
}

function answered({ questions }: Ask, input: ToolInput) {
  return { input, ...(questions && { questions }) }
}
