import type { Device } from '@holdpoint/schema/device'
import type { Role } from '@holdpoint/schema/outcome'

/** Everything a credential can be used for. A route names exactly one; a route without one does not exist (T5). */
export const POLICY = {
  'start-session': ['owner'],
  'read-sessions': ['owner', 'approver', 'viewer'],
  'send-message': ['owner', 'approver'],
  /** What a message can be made of: the agent's commands, the names of files in its folder. */
  'complete-message': ['owner', 'approver'],
  /** A message that is a command to the agent itself. */
  'send-command': ['owner'],
  'interrupt-session': ['owner', 'approver'],
  'configure-session': ['owner'],
  /** Its title, and whether lists show it. */
  'tidy-session': ['owner', 'approver'],
  'trust-folder': ['owner'],
  'set-time-limits': ['owner'],
  'set-retention': ['owner'],
  'delete-session': ['owner'],
  'manage-notifications': ['owner'],
  'end-session': ['owner'],
  'read-asks': ['owner', 'approver', 'viewer'],
  'read-own-ask': ['owner', 'approver', 'viewer', 'raiser'],
  'answer-ask': ['owner', 'approver'],
  'raise-ask': ['raiser'],
  'attach-terminal': ['raiser'],
  'see-ask': ['owner', 'approver', 'viewer'],
  'read-rules': ['owner', 'approver', 'viewer'],
  'change-rules': ['owner'],
  'read-policy': ['owner', 'approver', 'viewer'],
  'change-policy': ['owner'],
  'manage-devices': ['owner'],
  'manage-machines': ['owner'],
  /** Of the own device. */
  'get-notifications': ['owner', 'approver', 'viewer'],
  /** Its own name, for all but owners. Cards show the name of a raiser: it keeps the one that it was paired with. */
  'rename-device': ['owner', 'approver', 'viewer'],
  'attach-file': ['owner', 'approver'],
  'read-transcripts': ['owner'],
  'read-events': ['owner', 'approver', 'viewer'],
  'read-metrics': ['owner'],
  'read-self': ['owner', 'approver', 'viewer', 'raiser'],
  'log-out': ['owner', 'approver', 'viewer', 'raiser'],
  'read-description': ['owner', 'approver', 'viewer', 'raiser'],
} as const satisfies Record<string, readonly Role[]>

export type Action = keyof typeof POLICY

/** What reaches beyond any one session (a command may change the user's settings): a credential for some sessions must not turn itself into one for all. */
const GATEWAY_WIDE = new Set<Action>([
  'start-session',
  'send-command',
  'trust-folder',
  'set-time-limits',
  'set-retention',
  'manage-notifications',
  'manage-devices',
  'manage-machines',
  'read-metrics',
  'read-transcripts',
  'attach-terminal',
  'read-policy',
  'change-policy',
])

/**
 * What a credential must not do any more that was revoked at another gateway, also where nobody has heard of that yet. Answers
 * are refused at their commit. To stop an agent is always safe, and must not wait for a database.
 */
const LASTING = new Set<Action>([
  'start-session',
  'send-message',
  'send-command',
  'configure-session',
  'tidy-session',
  'trust-folder',
  'set-time-limits',
  'set-retention',
  'delete-session',
  'manage-notifications',
  'change-policy',
  'manage-devices',
  'manage-machines',
])

export function isLasting(action: Action): boolean {
  return LASTING.has(action)
}

export function may(device: Pick<Device, 'role' | 'sessionIds'>, action: Action): boolean {
  if (device.sessionIds && GATEWAY_WIDE.has(action)) return false
  return (POLICY[action] as readonly Role[]).includes(device.role)
}
