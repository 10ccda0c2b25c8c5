import type { AskRequest, ToolInput } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { permissionResult } from '../claude/permission-result.ts'
import type { HookReply } from './hook-call.ts'

const NOTHING: HookReply = {}

/**
 * What Claude Code is told through its hook. Only what a person or a rule decided: everything else leaves the call to
 * the dialog in the terminal, which is still there. Rules stay ours: `updatedPermissions` is never sent.
 */
export function hookReply(
  request: AskRequest,
  outcome: Outcome,
  handed: (request: AskRequest, outcome: Outcome) => ToolInput,
): HookReply {
  if (outcome.kind === 'withdrawn' || outcome.kind === 'expired') return NOTHING
  const result = permissionResult(request, outcome, 'deny', () => handed(request, outcome))
  if (!result) return NOTHING
  // An allow always brings its input: without one Claude Code leaves a plan's dialog open.
  const decision =
    result.behavior === 'allow'
      ? { behavior: 'allow', updatedInput: result.updatedInput }
      : { behavior: 'deny', message: result.message, ...(result.interrupt && { interrupt: true }) }
  return { output: { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } } }
}
