import type { PushMessage } from '@holdpoint/schema/notification'
import { paths } from '@holdpoint/schema/paths'
import { callGateway } from './call-gateway.ts'
import { readPushMessage } from './push-message.ts'
import type { WorkerScope } from './worker-scope.ts'

const ICON = '/icon-192.png'

/** What a notification keeps for the press on it. */
export type NoticeData = Pick<PushMessage, 'path' | 'to' | 'deny' | 'allow'>

/** TypeScript's own type is that of notifications of pages, which have no buttons. */
interface WorkerNotificationOptions extends NotificationOptions {
  readonly renotify?: boolean
  readonly actions?: readonly { readonly action: string; readonly title: string }[]
}

/** Shows what the gateway sent, takes away what it replaces, and reports that it is on the screen. */
export async function showPush(scope: WorkerScope, text: string | undefined): Promise<void> {
  const message = readPushMessage(text, scope.location.origin)
  // Browsers end a subscription whose pushes show nothing.
  if (!message) return show(scope, 'Holdpoint', { tag: 'holdpoint', body: 'Something needs your attention.' })
  const { title, body, tag, silent, path, to, deny, allow } = message
  const data: NoticeData = { path, to, ...(deny && { deny }), ...(allow && { allow }) }
  await show(scope, title, {
    body,
    tag,
    data,
    silent,
    renotify: !silent,
    actions: actionsOf(message, scope.Notification.maxActions ?? 0),
  })
  await Promise.all([takeAway(scope, message), showBadge(scope, message.waiting), report(scope, message)])
}

export function show(scope: WorkerScope, title: string, options: WorkerNotificationOptions): Promise<void> {
  return scope.registration.showNotification(title, { icon: ICON, ...options })
}

/** Most browsers show two. A tap on the notification itself opens the card, so *Open* may go. */
function actionsOf({ deny, allow }: PushMessage, room: number) {
  if (!deny && !allow) return []
  const actions = [
    ...(allow ? [{ action: 'allow', title: 'Allow' }] : []),
    ...(deny ? [{ action: 'deny', title: 'Deny' }] : []),
    { action: 'open', title: 'Open' },
  ]
  return actions.slice(0, room)
}

async function takeAway(scope: WorkerScope, { tag, replaces = [] }: PushMessage): Promise<void> {
  if (replaces.length === 0) return
  for (const notification of await scope.registration.getNotifications()) {
    if (notification.tag !== tag && replaces.includes(notification.tag)) notification.close()
  }
}

/** Only an installed app has a badge; others refuse. */
async function showBadge({ navigator }: WorkerScope, waiting: number): Promise<void> {
  await (waiting > 0 ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.())?.catch(() => {})
}

async function report(scope: WorkerScope, { receipt, to }: PushMessage): Promise<void> {
  if (receipt) await callGateway(scope, paths.notifications.receipt.path, { token: receipt, to })
}
