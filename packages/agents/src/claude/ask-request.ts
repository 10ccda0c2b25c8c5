import type { CanUseTool, ElicitationRequest } from '@anthropic-ai/claude-agent-sdk'
import { type AskContext, type AskRequest, Question } from '@holdpoint/schema/ask'
import { canonicalJson } from '@holdpoint/schema/json'
import { z } from 'zod'
import { diffOf } from './file-diff.ts'
import { shortText } from './short-text.ts'
import type { Subagent } from './subagents.ts'

type ToolContext = Omit<Parameters<CanUseTool>[2], 'signal'>
type Input = Record<string, unknown>

const FILE_TOOLS = new Set(['Read', 'Write', 'Edit', 'MultiEdit'])
/** Tools whose `description` is the agent's remark about the call. In any other it is data that the call acts on. */
const REMARKED_TOOLS = new Set(['Bash', 'Task', 'Agent', 'Monitor'])
const LenientQuestions = z.array(z.object(Question.shape)).min(1).max(8)

interface ToolCall {
  readonly name: string
  readonly given: Input
  readonly context: ToolContext
  readonly cwd: string
  readonly from: Subagent
}

/** A tool call as an ask. Every string from the agent is carried as data; the title is made of facts. */
export async function toolAsk({ name, given, context, cwd, from }: ToolCall): Promise<AskRequest> {
  // A copy of our own: what the person sees is what goes back, whatever happens to the caller's object.
  const input = JSON.parse(JSON.stringify(given)) as Input
  const base = {
    requestId: context.requestId,
    toolUseId: context.toolUseID,
    ...from,
    tool: {
      name,
      ...text('displayName', context.displayName),
      input,
      ...(context.mcpServer && {
        mcpServer: { name: String(context.mcpServer.name), source: String(context.mcpServer.source) },
      }),
    },
    ...(REMARKED_TOOLS.has(name) && text('agentSays', input.description)),
    ...text('decisionReason', context.decisionReason),
    ...(context.matchedAskRule && { matchedAskRule: { ...context.matchedAskRule } }),
    suggestions: context.suggestions ?? [],
    flags: { defaultToNo: context.defaultToNo === true, noRemember: context.suppressAlwaysAllowRule === true },
  }
  if (name === 'AskUserQuestion') {
    const questions = LenientQuestions.safeParse(input.questions)
    if (questions.success) {
      const title = shortText(questions.data.map((entry) => entry.header ?? entry.question).join(' · '))
      return { ...base, kind: 'question', title: `Question: ${title}`, context: { cwd }, questions: questions.data }
    }
  }
  if (name === 'ExitPlanMode') {
    const plan = typeof input.plan === 'string' ? input.plan : ''
    return {
      ...base,
      kind: 'plan',
      title: 'Plan',
      context: { cwd },
      plan: { text: plan, ...text('filePath', input.planFilePath) },
    }
  }
  return {
    ...base,
    kind: 'approval',
    title: titleOf(name, input),
    context: await factsOf(name, input, context, cwd),
    remember: rememberOf(name, input, context.blockedPath),
  }
}

/** Two questions of one wording cannot be answered apart: the agent reads answers by the question's text. */
export function hasTwinQuestions(request: AskRequest): boolean {
  const texts = request.questions?.map((entry) => entry.question) ?? []
  return new Set(texts).size < texts.length
}

export function formAsk(request: ElicitationRequest, requestId: string, cwd: string): AskRequest {
  const mode = request.mode === 'url' ? 'url' : 'form'
  return {
    requestId,
    kind: 'form',
    title: mode === 'url' ? `${request.serverName}: open a link` : `${request.serverName}: fill in a form`,
    agentSays: request.message,
    context: { cwd, ...text('url', request.url) },
    form: {
      mode,
      server: request.serverName,
      message: request.message,
      ...text('url', request.url),
      ...(request.requestedSchema && { schema: request.requestedSchema }),
    },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: true },
  }
}

async function factsOf(name: string, input: Input, context: ToolContext, cwd: string): Promise<AskContext> {
  return {
    cwd,
    ...(name === 'Bash' && text('command', input.command)),
    ...text('filePath', input.file_path ?? input.notebook_path),
    ...(name === 'WebFetch' && text('url', input.url)),
    ...(name === 'WebSearch' && text('query', input.query)),
    ...text('blockedPath', context.blockedPath),
    ...(await diffOf(name, input, cwd)),
  }
}

function titleOf(name: string, input: Input): string {
  const subject = [input.command, input.file_path, input.notebook_path, input.url, input.query].find(
    (value) => typeof value === 'string',
  ) as string | undefined
  return subject === undefined ? shortText(name) : `${shortText(name)}: ${shortText(subject)}`
}

/** Exactly the same patterns of the same tool; a description is the agent's talk and changes nothing. */
function rememberOf(name: string, input: Input, blockedPath: unknown): { key: string; rule: string } {
  if (name === 'Bash' && typeof input.command === 'string') {
    const { description, ...rest } = input
    return { key: canonicalJson(rest), rule: `Bash(${input.command})` }
  }
  if (FILE_TOOLS.has(name) && typeof input.file_path === 'string') {
    // Where the path leads is part of it: a link that is put in its place later is another file.
    const leadsTo = typeof blockedPath === 'string' && blockedPath !== input.file_path ? ` → ${blockedPath}` : ''
    return exactly(name, input.file_path + leadsTo)
  }
  if (name === 'NotebookEdit' && typeof input.notebook_path === 'string') return exactly(name, input.notebook_path)
  if (name === 'WebFetch' && typeof input.url === 'string') return exactly(name, input.url)
  return exactly(name, canonicalJson(input))
}

function exactly(name: string, pattern: string) {
  return { key: pattern, rule: `${name}(${pattern})` }
}

/** Agents change, and a field that was text may turn into something else: then it is left out, not trusted. */
function text<Key extends string>(key: Key, value: unknown): { [K in Key]?: string } {
  return typeof value === 'string' && value !== '' ? ({ [key]: value } as { [K in Key]?: string }) : {}
}
