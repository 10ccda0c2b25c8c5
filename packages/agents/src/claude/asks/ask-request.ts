import type { CanUseTool, ElicitationRequest } from '@anthropic-ai/claude-agent-sdk'
import type { AskContext, AskKind, AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { BoundFiles } from './bound-files.ts'
import { callDisplay } from './call-display.ts'
import { contentOf } from './content-of.ts'
import type { AskPart, InteractiveCall, NotAsked } from './interactive-tool.ts'
import { shortText } from './short-text.ts'
import type { Subagent } from './subagents.ts'
import { textField } from './text-field.ts'

export type ToolContext = Omit<Parameters<CanUseTool>[2], 'signal'>

/** A tool call at the gate, with what Claude Code says about it. */
export interface GatedCall extends InteractiveCall {
  readonly input: ToolInput
  readonly context: ToolContext
  readonly from: Subagent
}

export function gatedCall(
  name: string,
  given: Readonly<ToolInput>,
  context: ToolContext,
  where: { readonly cwd?: string; readonly from: Subagent },
): GatedCall {
  // A copy of our own: what the person sees is what goes back, whatever happens to the caller's object.
  const input = JSON.parse(JSON.stringify(given)) as ToolInput
  return { name, input, context, ...where, ...textField('blockedPath', context.blockedPath) }
}

/** A tool call as an ask: what is known of every call, and what its entry makes of it. Agents' strings are data. */
export function toolRequest(
  { name, input, context, cwd, from }: GatedCall,
  kind: AskKind,
  part: AskPart,
  bound?: BoundFiles,
): AskRequest {
  const facts = { ...bound?.context, ...part.context, ...(cwd !== undefined && { cwd }) }
  return {
    requestId: context.requestId,
    toolUseId: context.toolUseID,
    ...from,
    tool: {
      name,
      ...textField('displayName', context.displayName),
      input,
      ...(context.mcpServer && {
        mcpServer: { name: String(context.mcpServer.name), source: String(context.mcpServer.source) },
      }),
    },
    display: callDisplay({ name, input, isOfServer: context.mcpServer !== undefined, diff: shownDiff(facts) }),
    ...textField('decisionReason', context.decisionReason),
    ...(context.matchedAskRule && { matchedAskRule: { ...context.matchedAskRule } }),
    suggestions: context.suggestions ?? [],
    flags: { defaultToNo: context.defaultToNo === true, noRemember: context.suppressAlwaysAllowRule === true },
    ...partOf(part),
    kind,
    ...(bound?.files && { files: bound.files }),
    ...(bound?.filesUnknown !== undefined && { filesUnknown: bound.filesUnknown }),
    context: facts,
  }
}

/** A card draws a diff under the name of its file alone. */
function shownDiff({ diff, filePath }: AskContext): string | undefined {
  return filePath === undefined ? undefined : diff
}

/** Field by field: an entry has no say in whose ask it is, or which call it is about. */
function partOf({ title, agentSays, ...content }: AskPart) {
  return { title, ...(agentSays !== undefined && { agentSays }), ...contentOf(content) }
}

/** What a server asks of people in the middle of a call, or why nobody is asked: a guess could be answered (F38). */
export function formAsk(
  request: ElicitationRequest,
  requestId: string,
  cwd: string | undefined,
): AskRequest | NotAsked {
  // Left out, it is a form: servers older than the choice name none.
  const { mode = 'form' } = request
  if (mode !== 'form' && mode !== 'url') {
    const [server, kind] = [request.serverName, mode].map((given) => shortText(String(given)))
    return {
      refusal: `The MCP server ${server} sent a request of an unknown kind (${kind}). It was cancelled.`,
    }
  }
  return {
    requestId,
    kind: 'form',
    title: mode === 'url' ? `${request.serverName}: open a link` : `${request.serverName}: fill in a form`,
    agentSays: request.message,
    context: { ...textField('cwd', cwd), ...textField('url', request.url) },
    form: {
      mode,
      server: request.serverName,
      message: request.message,
      ...textField('url', request.url),
      ...(request.requestedSchema && { schema: request.requestedSchema }),
    },
    suggestions: [],
    flags: { defaultToNo: false, noRemember: true },
  }
}
