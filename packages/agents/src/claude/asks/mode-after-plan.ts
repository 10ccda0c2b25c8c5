import type { PermissionUpdate } from '@anthropic-ai/claude-agent-sdk'
import type { AskRequest } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { PermissionMode } from '@holdpoint/schema/permission-mode'
import { exitPlanMode } from './exit-plan-mode.ts'

/** The mode in which the agent is to go on with a plan that was allowed. Where nobody named one, it is the one that asks. */
export function modeAfterPlan({ kind, tool }: AskRequest, outcome: Outcome): PermissionMode | undefined {
  if (kind !== 'plan' || outcome.kind !== 'allowed') return undefined
  const named = PermissionMode.safeParse(outcome.answer?.permissionMode)
  if (named.success) return named.data
  return tool && exitPlanMode.matches(tool.name, tool.input) ? 'default' : undefined
}

/**
 * Said together with the yes. Without it Claude Code goes back to the mode that it had before plan mode, which may let
 * through more than the person chose. The mode that asks comes first: one that Claude Code does not take leaves it there.
 */
export function modeUpdates(mode: PermissionMode): PermissionUpdate[] {
  const steps: readonly PermissionMode[] = mode === 'default' ? [mode] : ['default', mode]
  return steps.map((step) => ({ type: 'setMode', mode: step, destination: 'session' }))
}
