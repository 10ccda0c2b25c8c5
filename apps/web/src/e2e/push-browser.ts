import type { PushMessage, PushSubscription } from '@holdpoint/schema/notification'
import { until } from '@holdpoint/testing/until'
import type { BrowserContext, CDPSession, Page, Worker } from 'playwright-core'

/** A notification as the browser has it. */
export interface ShownNotification {
  readonly tag: string
  readonly title: string
  readonly body: string
  readonly actions: readonly string[]
  readonly silent: boolean
}

/**
 * Lets a page subscribe without its vendor's push service, which no test reaches: it gets `subscription`, and the browser
 * keeps that for the origin as it would its own.
 */
export async function givePushService(context: BrowserContext, subscription: PushSubscription, origin: string) {
  await context.grantPermissions(['notifications'], { origin })
  await context.addInitScript((given) => {
    const KEY = 'test.subscribed'
    const { close } = Notification.prototype
    Notification.prototype.close = function (this: Notification) {
      localStorage.setItem('test.closed', `${localStorage.getItem('test.closed') ?? ''}${this.tag} `)
      return close.call(this)
    }
    const make = () => ({
      endpoint: given.endpoint,
      options: {
        applicationServerKey: Uint8Array.from(JSON.parse(localStorage.getItem(KEY) ?? '[]') as number[]).buffer,
      },
      toJSON: () => given,
      async unsubscribe() {
        localStorage.removeItem(KEY)
        return true
      },
    })
    Object.assign(PushManager.prototype, {
      getSubscription: async () => (localStorage.getItem(KEY) === null ? null : make()),
      async subscribe({ applicationServerKey }: { applicationServerKey: Uint8Array }) {
        localStorage.setItem(KEY, JSON.stringify([...applicationServerKey]))
        return make()
      },
    })
  }, subscription)
}

/** Hands messages to the service worker of an origin, as the browser does with what its push service brings. */
export async function pushDelivery(page: Page, origin: string) {
  const session: CDPSession = await page.context().newCDPSession(page)
  const registrations = new Map<string, string>()
  session.on('ServiceWorker.workerRegistrationUpdated', (event) => {
    for (const { registrationId, scopeURL, isDeleted } of event.registrations) {
      if (isDeleted) registrations.delete(scopeURL)
      else registrations.set(scopeURL, registrationId)
    }
  })
  await session.send('ServiceWorker.enable')
  return async (message: PushMessage) => {
    const registrationId = await until(() => registrations.get(`${origin}/`), 'the service worker')
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) })
  }
}

export function shownNotifications(page: Page): Promise<ShownNotification[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/')
    const shown = (await registration?.getNotifications()) ?? []
    return shown.map((notification) => {
      const { tag, title, body, silent } = notification
      const { actions = [] } = notification as { actions?: { action: string }[] }
      return { tag, title, body, silent: silent === true, actions: actions.map(({ action }) => action) }
    })
  })
}

/** Tags of the notifications that pages have taken away, not the worker. */
export function takenAway(page: Page): Promise<string> {
  return page.evaluate(() => localStorage.getItem('test.closed') ?? '')
}

/** Presses a notification in the worker: what a person does on the screen no test can. False where it is not there. */
export async function press(worker: Worker, tag: string, action = ''): Promise<boolean> {
  return worker.evaluate(
    async ([wanted, pressed]) => {
      const scope = globalThis as unknown as {
        registration: ServiceWorkerRegistration
        NotificationEvent: new (type: string, init: object) => Event
      }
      const notification = (await scope.registration.getNotifications()).find(({ tag: each }) => each === wanted)
      if (!notification) return false
      const event = new scope.NotificationEvent('notificationclick', { notification, action: pressed })
      globalThis.dispatchEvent(event)
      return true
    },
    [tag, action],
  )
}

/** The page goes on, and the person looks at something else. */
export async function lookAway(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.hasFocus = () => false
    window.dispatchEvent(new Event('blur'))
  })
}
