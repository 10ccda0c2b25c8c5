import type { CallFacts } from '@holdpoint/core/call-facts'
import type { PermissionRequest } from '@holdpoint/core/permission-request'
import type { ShownCall } from './cards/approval-blocks.ts'
import { hostOf } from './cards/heading.ts'
import { notCompared, rememberedWords } from './cards/remembering-words.ts'

/** A tool call in the words of our own: what it would do, and to what. */
export interface CallWords {
  readonly verb: string
  readonly subject?: string
}

const FILE_VERBS: ReadonlyMap<string, string> = new Map([
  ['Edit', 'Edit file'],
  ['MultiEdit', 'Edit file'],
  ['NotebookEdit', 'Edit notebook'],
  ['Write', 'Write file'],
  ['Read', 'Read file'],
])

export function callWords({ tool, context }: ShownCall): CallWords {
  const name = tool?.name ?? ''
  if (name === 'ExitPlanMode') return { verb: 'Go on with the plan' }
  if (context.command !== undefined) return { verb: 'Run command' }
  if (context.filePath !== undefined) return { verb: FILE_VERBS.get(name) ?? 'Use file', subject: context.filePath }
  if (context.url !== undefined) return { verb: 'Fetch', subject: hostOf(context.url) ?? context.url }
  if (context.query !== undefined) return { verb: 'Search the web' }
  return { verb: 'Use tool', subject: name }
}

/** What "Always Allow" would let run from then on; undefined where it cannot be remembered. */
export function alwaysWords({ tool, patterns, metadata }: PermissionRequest): string | undefined {
  if (patterns.length === 0) return undefined
  const run = metadata.files?.filter(({ use }) => use === 'runs')
  return `allows this again without asking: ${rememberedWords(tool, run)}.${notCompared(tool, run)}`
}

/** A permission request as the cards draw it. */
export function callOfRequest({ tool, input, metadata }: PermissionRequest): ShownCall {
  const { description, filePath, diff, command, url, query, blockedPath, mcpServer, reason } = metadata
  return {
    kind: kindOf(tool),
    ...besidesInput(metadata),
    tool: { name: tool, input: { ...input }, ...(mcpServer && { mcpServer }) },
    context: {
      ...(metadata.cwd !== undefined && { cwd: metadata.cwd }),
      ...(filePath !== undefined && { filePath }),
      ...(diff !== undefined && { diff }),
      ...(command !== undefined && { command }),
      ...(url !== undefined && { url }),
      ...(query !== undefined && { query }),
      ...(blockedPath !== undefined && { blockedPath }),
    },
    ...(description !== undefined && { agentSays: description }),
    ...(reason !== undefined && { decisionReason: reason }),
  }
}

/** Tools whose `description` is the agent's remark about the call. */
const REMARKED = new Set(['Bash', 'Task', 'Agent'])

/** A tool call of an `approval_required` event. Undefined where its input is no JSON object. */
export function callOfInput(name: string, json: string, facts: CallFacts = {}): ShownCall | undefined {
  const input = objectIn(json)
  if (!input) return undefined
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const filePath = text(input.file_path) ?? text(input.notebook_path)
  const command = name === 'Bash' ? text(input.command) : undefined
  const url = name === 'WebFetch' ? text(input.url) : undefined
  const query = name === 'WebSearch' ? text(input.query) : undefined
  const description = REMARKED.has(name) ? text(input.description) : undefined
  return {
    kind: kindOf(name),
    ...besidesInput(facts),
    tool: { name, input },
    context: {
      ...(facts.cwd !== undefined && { cwd: facts.cwd }),
      ...(filePath !== undefined && { filePath }),
      ...(command !== undefined && { command }),
      ...(url !== undefined && { url }),
      ...(query !== undefined && { query }),
    },
    ...(description !== undefined && { agentSays: description }),
  }
}

function kindOf(tool: string): 'plan' | 'approval' {
  return tool === 'ExitPlanMode' ? 'plan' : 'approval'
}

function besidesInput({ files, filesUnknown, replaces, raiser }: CallFacts): Omit<CallFacts, 'cwd'> {
  return {
    ...(files && { files }),
    ...(filesUnknown !== undefined && { filesUnknown }),
    ...(replaces !== undefined && { replaces }),
    ...(raiser !== undefined && { raiser }),
  }
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
