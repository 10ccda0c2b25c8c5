import type { AgentEvent, DriverStart } from '@holdpoint/core/driver'
import { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Hook } from './hook-call.ts'

const TITLE_LENGTH = 80

/** What hooks say about a session besides what they are for: only what has changed. */
export function createHookNews(
  start: Pick<DriverStart, 'permissionMode' | 'attach' | 'epoch'>,
  vendorSessionId: string,
) {
  let mode: string = start.permissionMode
  let isTitled = start.attach !== undefined || start.epoch > 1
  return {
    identity({ permission_mode: told, model }: Hook): AgentEvent[] {
      const events: AgentEvent[] = []
      if (model !== undefined) events.push({ type: 'identified', vendorSessionId, model })
      const known = PermissionMode.safeParse(told)
      if (known.success && known.data !== mode) {
        mode = known.data
        events.push({ type: 'mode-changed', permissionMode: known.data })
      }
      return events
    },
    /** After the first prompt. */
    title({ prompt }: Hook): AgentEvent[] {
      const line = prompt?.trim().split('\n')[0]?.trim()
      if (isTitled || !line) return []
      isTitled = true
      return [{ type: 'titled', title: line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 3)}...` : line }]
    },
  }
}

/** Whether a person wrote this prompt. What a task in the background has come to is told to the agent like one. */
export function isWritten({ prompt }: Hook): boolean {
  return prompt !== undefined && !prompt.startsWith('<task-notification>')
}
