import type { Ask, AskKind } from '@holdpoint/schema/ask'
import type { CallFacts } from '@holdpoint/schema/call-facts'
import { callFactsOf } from './call-facts.ts'
import { planInput } from './plan-input.ts'
import { subjectOf, whyNotRemembered } from './remembering.ts'

/** An approval as the permission dialect and `usePermissions` show it. Only data, ready to be sent as JSON. */
export interface PermissionRequest {
  /** The ask's id. */
  readonly id: string
  readonly sessionId: string
  /**
   * The tool call that it belongs to: the agent's tool-use id, or its request id where it gave none. Of what a program
   * asks, the ask's id: what others than the agent chose could be made to look like the agent's.
   */
  readonly messageId: string
  readonly tool: string
  /** The tool's name in lower case: `bash`, `edit`, `webfetch`, `mcp__tracker__close` … */
  readonly permission: string
  readonly input: Readonly<Record<string, unknown>>
  /** What `always` would be about; `metadata.rule` says all that is compared. Empty where it would not be remembered. */
  readonly patterns: readonly string[]
  readonly metadata: PermissionMetadata
  /** The agent's own ideas of what to allow for good. To be shown; Holdpoint never acts on them. */
  readonly suggestions: readonly PermissionSuggestion[]
  readonly createdAt: number
}

export interface PermissionMetadata extends CallFacts {
  /** The agent's own words. Hostile text. */
  readonly description?: string
  readonly filePath?: string
  /** Unified, against the file as it was when the ask was raised. */
  readonly diff?: string
  readonly command?: string
  readonly url?: string
  readonly query?: string
  /** The subagent that asks, where it is not the agent itself. */
  readonly subagent?: string
  readonly mcpServer?: { readonly name: string; readonly source: string }
  readonly blockedPath?: string
  /** Why the agent asks, as it says itself. */
  readonly reason?: string
  /** What `always` would remember, in words: all of it has to be the same again. */
  readonly rule?: string
  /** The agent wants a person's no to be the first choice. */
  readonly defaultToNo?: true
}

export interface PermissionSuggestion {
  readonly type: 'addRules' | 'addDirectories'
  readonly patterns: readonly string[]
  readonly description: string
}

export const PERMISSION_REPLIES = ['allow', 'deny', 'always'] as const
export type PermissionReply = (typeof PERMISSION_REPLIES)[number]

/** Approvals and plans, which are approvals of `ExitPlanMode`. Questions and forms want more than a yes or a no. */
export function isPermission(ask: Ask): boolean {
  return PERMISSIONS[ask.kind]
}

const PERMISSIONS: Record<AskKind, boolean> = { approval: true, plan: true, question: false, form: false }

export function permissionRequestOf(ask: Ask): PermissionRequest {
  const isOfAgent = ask.raisedBy === undefined
  const tool = ask.tool?.name ?? (ask.kind === 'plan' ? 'ExitPlanMode' : 'Approval')
  return {
    id: ask.id,
    sessionId: ask.sessionId,
    messageId: isOfAgent ? (ask.toolUseId ?? ask.requestId) : ask.id,
    tool,
    permission: tool.toLowerCase(),
    input: ask.kind === 'plan' ? planInput(ask) : { ...ask.tool?.input },
    patterns: patternsOf(ask),
    metadata: metadataOf(ask),
    suggestions: isOfAgent ? ask.suggestions.flatMap(suggestionOf) : [],
    createdAt: ask.raisedAt,
  }
}

/** What a rule for this call is about. The rule itself holds for more than that: the whole input, folder and files. */
function patternsOf(ask: Ask): readonly string[] {
  return ask.tool && whyNotRemembered(ask) === undefined ? [subjectOf(ask.tool)] : []
}

function metadataOf(ask: Ask) {
  const { agentSays, context, tool, subagent, subagentName, decisionReason, flags, raisedBy } = ask
  const rule = whyNotRemembered(ask) === undefined ? ask.remember?.rule : undefined
  const { filePath, diff, command, url, query, blockedPath } = context
  const metadata: PermissionMetadata = {
    ...callFactsOf(ask),
    ...(agentSays !== undefined && { description: agentSays }),
    ...(filePath !== undefined && { filePath }),
    ...(diff !== undefined && { diff }),
    ...(command !== undefined && { command }),
    ...(url !== undefined && { url }),
    ...(query !== undefined && { query }),
    ...(raisedBy === undefined && subagent !== undefined && { subagent: subagentName ?? subagent }),
    ...(tool?.mcpServer && { mcpServer: tool.mcpServer }),
    ...(blockedPath !== undefined && { blockedPath }),
    ...(decisionReason !== undefined && { reason: decisionReason }),
    ...(rule !== undefined && { rule }),
    ...(flags.defaultToNo && { defaultToNo: true as const }),
  }
  return metadata
}

/** Vendors change their suggestions as they like: what is not of a known form is left out. */
function suggestionOf(given: unknown): PermissionSuggestion[] {
  if (typeof given !== 'object' || given === null) return []
  const { type, rules, directories, behavior, destination } = given as Readonly<Record<string, unknown>>
  const where = typeof destination === 'string' ? ` (${destination})` : ''
  if (type === 'addRules' && Array.isArray(rules)) {
    const patterns = rules.flatMap(ruleText)
    const verb = typeof behavior === 'string' && behavior !== 'allow' ? behavior : 'allow'
    return patterns.length > 0 ? [{ type, patterns, description: `Always ${verb} ${patterns.join(', ')}${where}` }] : []
  }
  if (type === 'addDirectories' && Array.isArray(directories)) {
    const patterns = directories.filter((directory) => typeof directory === 'string')
    return patterns.length > 0 ? [{ type, patterns, description: `Work in ${patterns.join(', ')} too${where}` }] : []
  }
  return []
}

function ruleText(rule: unknown): string[] {
  const { toolName, ruleContent } = (rule ?? {}) as Readonly<Record<string, unknown>>
  if (typeof toolName !== 'string') return []
  return [typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName]
}
