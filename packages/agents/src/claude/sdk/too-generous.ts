import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { generosity } from '@holdpoint/core/permission-generosity'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'

/** What says which mode the agent is in. */
type ModeMessage = Extract<SDKMessage, { type: 'system'; subtype: 'init' | 'status' }>

/** A hook of the folder or the user may have brought it into such a mode, with a plan that it approved. */
export function isTooGenerousFor(mode: PermissionMode, message: SDKMessage): message is ModeMessage {
  if (message.type !== 'system' || (message.subtype !== 'init' && message.subtype !== 'status')) return false
  return message.permissionMode !== undefined && generosity(message.permissionMode) > generosity(mode)
}
