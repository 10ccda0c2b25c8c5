import { isOwnPath } from '../parts/own-path.ts'
import { answerNotice } from './answer-notice.ts'
import { offlinePage } from './offline-page.ts'
import { openCard } from './open-card.ts'
import { type NoticeData, showPush } from './show-push.ts'
import type { WorkerEvents, WorkerScope } from './worker-scope.ts'

/** The service worker of the app: shows pushes and takes their presses. It keeps no files and no login. */
export function startWorker(scope: WorkerScope): void {
  scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
  scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()))
  scope.addEventListener('push', (event) => event.waitUntil(showPush(scope, event.data?.text())))
  scope.addEventListener('notificationclick', (event) => event.waitUntil(onClick(scope, event)))
  scope.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(scope, event)))
  scope.addEventListener('fetch', (event) => {
    // Pages alone, and always from the network: the rest is none of its business.
    if (event.request.mode === 'navigate') event.respondWith(scope.fetch(event.request).catch(offlinePage))
  })
}

async function onClick(scope: WorkerScope, { notification, action }: WorkerEvents['notificationclick']): Promise<void> {
  notification.close()
  const data = (notification.data ?? {}) as Partial<NoticeData>
  const { path, to } = data
  const token = action === 'deny' ? data.deny : action === 'allow' ? data.allow : undefined
  const place = isOwnPath(path, scope.location.origin) ? path : '/'
  if (token && to) await answerNotice(scope, notification, { token, data: { path: place, to } })
  else await openCard(scope, place)
}

/** Only a page can tell the gateway, which it does when it is opened next: until then there must be something to tell. */
async function subscribeAgain(
  { registration }: WorkerScope,
  { oldSubscription }: WorkerEvents['pushsubscriptionchange'],
): Promise<void> {
  if (!oldSubscription || (await registration.pushManager.getSubscription())) return
  const { applicationServerKey } = oldSubscription.options
  await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch(() => {})
}
