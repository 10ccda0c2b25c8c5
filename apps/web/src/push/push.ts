import type { GatewayClient, Result } from '@holdpoint/client/gateway-client'
import type { DeviceNotices, NoticeSettings } from '@holdpoint/schema/notification'
import { settle } from '../parts/use-remote.ts'
import { browserFacts, pushPlace } from './push-place.ts'
import { DEFAULT_SETTINGS, keepSettings, keptSettings } from './push-settings.ts'
import { subscribeBrowser, unsubscribeBrowser } from './push-subscription.ts'
import { mayKeepWorker, registerWorker, workerRegistration } from './worker-registration.ts'

type Calls = Pick<GatewayClient, 'notifications'>

interface Wanted {
  readonly publicKey: string
  readonly settings: NoticeSettings
}

/** Sends notifications to this browser, or changes which. */
export function switchPushOn(client: Calls, wanted: Wanted): Promise<Result<DeviceNotices>> {
  return inTurn(() => subscribe(client, wanted))
}

/**
 * One change at a time, over all pages of this browser. A page that has just connected removes a worker that nobody asked for:
 * it must not take the one that a subscription in the making waits for.
 */
function inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
  return navigator.locks.request('holdpoint-push', change)
}

async function subscribe({ notifications }: Calls, { publicKey, settings }: Wanted): Promise<Result<DeviceNotices>> {
  let subscription: Awaited<ReturnType<typeof subscribeBrowser>>
  try {
    subscription = await subscribeBrowser(publicKey)
  } catch (error) {
    await tidyWorker().catch(() => {})
    return { ok: false, status: 0, code: 'no_push_service', message: whyNot(error) }
  }
  const done = await notifications.subscribe({ subscription, settings })
  if (done.ok) keepSettings(settings)
  return done
}

function whyNot(error: unknown): string {
  const said = error instanceof Error ? ` It says: ${error.message}` : ''
  return `This browser could not get an address from its push service.${said}`
}

export function switchPushOff({ notifications }: Calls): Promise<Result<void>> {
  return inTurn(async () => {
    const done = await notifications.unsubscribe()
    if (done.ok) await forgetPush()
    return done
  })
}

/** Leaves nothing of it in this browser. */
export async function forgetPush(): Promise<void> {
  keepSettings(undefined)
  await unsubscribeBrowser().catch(() => {})
}

/**
 * At the start of a page that is logged in. A browser may have changed its subscription while no page was open, and a new
 * login is a new device to the gateway: both are told to it, with what was chosen here.
 */
export async function restorePush(client: Calls): Promise<void> {
  if (pushPlace(browserFacts()) === 'ready') await inTurn(() => restore(client))
}

async function restore(client: Calls): Promise<void> {
  const settings = keptSettings()
  if (!settings || Notification.permission !== 'granted') return tidyWorker()
  const read = await settle(client.notifications.read())
  if (!read.ok) return
  const { publicKey, own } = read.value
  const wanted = { publicKey, settings: own?.settings ?? settings }
  const done = await settle(subscribe(client, wanted))
  // Kept by another version, whose words this gateway does not know.
  if (!done.ok && done.code === 'invalid_request')
    await settle(subscribe(client, { publicKey, settings: DEFAULT_SETTINGS }))
}

/** The offline page is worth a worker over HTTPS. Over plain HTTP none is left that nobody asked for (T64). */
async function tidyWorker(): Promise<void> {
  if (mayKeepWorker()) await registerWorker()
  else await (await workerRegistration())?.unregister()
}
