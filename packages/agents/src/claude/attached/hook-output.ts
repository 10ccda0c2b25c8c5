import type { AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { permissionResult } from '../asks/permission-result.ts'
import type { HookReply } from './hook-call.ts'

const NOTHING: HookReply = {}

/**
 * What Claude Code is told through its hook. Only what a person or a rule decided: everything else leaves the call to
 * the dialog in the terminal, which is still there. Rules stay ours: of permissions only the mode after a plan is said.
 */
export function hookReply(
  request: AskRequest,
  outcome: Outcome,
  approvedInput: (request: AskRequest, outcome: Outcome) => ToolInput,
): HookReply {
  if (outcome.kind === 'withdrawn' || outcome.kind === 'expired') return NOTHING
  const result = permissionResult(request, outcome, 'deny', () => approvedInput(request, outcome))
  if (!result) return NOTHING
  // An allow always brings its input: without one Claude Code leaves a plan's dialog open.
  const decision =
    result.behavior === 'allow'
      ? result
      : { behavior: 'deny', message: result.message, ...(result.interrupt && { interrupt: true }) }
  return { output: { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } } }
}
