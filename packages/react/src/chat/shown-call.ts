import type { PermissionRequest } from '@holdpoint/core/permission-request'
import { shownField } from '@holdpoint/core/shown-field'
import type { CallFacts } from '@holdpoint/schema/call-facts'
import type { CardPart, Display } from '@holdpoint/schema/display'
import type { ShownCall } from '../cards/approval-blocks.ts'
import { hostOf } from '../cards/heading.ts'
import { notCompared, rememberedWords } from '../cards/remembering-words.ts'

/** A tool call in the words of our own: what it would do, and to what. */
export interface CallWords {
  readonly verb: string
  readonly subject?: string
}

/** Where a driver knows the tool, in its words, else by what is known of the call. */
export function callWords(call: ShownCall): CallWords {
  const { tool, context } = call
  const { verb } = displayOf(call)
  if (call.kind === 'plan' || context.command !== undefined) return { verb }
  if (context.filePath !== undefined) return { verb, subject: context.filePath }
  if (context.url !== undefined) return { verb, subject: hostOf(context.url) ?? context.url }
  return context.query === undefined ? { verb, subject: tool?.name ?? '' } : { verb }
}

/** How a call is displayed that no driver knows, too. */
export function displayOf({ display, context }: Pick<ShownCall, 'display' | 'context'>): Display {
  if (display) return display
  if (context.command !== undefined) return { verb: 'Run command', icon: 'terminal' }
  if (context.filePath !== undefined) return { verb: 'Use file', icon: 'read' }
  if (context.url !== undefined) return { verb: 'Fetch', icon: 'web' }
  return context.query === undefined ? { verb: 'Use tool', icon: 'tool' } : { verb: 'Search the web', icon: 'search' }
}

/** What "Always Allow" would let run from then on; undefined where it cannot be remembered. */
export function alwaysWords(request: PermissionRequest): string | undefined {
  const { patterns, metadata } = request
  if (patterns.length === 0) return undefined
  const run = metadata.files?.filter(({ use }) => use === 'runs')
  const differing = notCompared(callOfRequest(request), run)
  return `allows this again without asking: ${rememberedWords(metadata.command, run)}.${differing}`
}

/** A permission request as the cards draw it. */
export function callOfRequest({ tool, input, metadata }: PermissionRequest): ShownCall {
  const { description, filePath, diff, command, url, query, blockedPath, mcpServer, reason } = metadata
  return {
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

/** A tool call of an `approval_required` event. Undefined where its input is no JSON object. */
export function callOfInput(name: string, json: string, facts: CallFacts = {}): ShownCall | undefined {
  const input = objectIn(json)
  if (!input) return undefined
  const text = (part: CardPart) => {
    const field = shownField(facts.display, part)
    const value = field === undefined ? undefined : input[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [command, url, query] = [text('command'), text('url'), text('query')]
  const [filePath, description] = [text('path'), text('agent-says')]
  return {
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

function besidesInput(facts: CallFacts): Pick<ShownCall, 'kind'> & Omit<CallFacts, 'cwd'> {
  const { display, files, filesUnknown, replaces, appeal, raiser } = facts
  return {
    kind: shownField(display, 'plan') === undefined ? 'approval' : 'plan',
    ...(display && { display }),
    ...(files && { files }),
    ...(filesUnknown !== undefined && { filesUnknown }),
    ...(replaces !== undefined && { replaces }),
    ...(appeal && { appeal }),
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
