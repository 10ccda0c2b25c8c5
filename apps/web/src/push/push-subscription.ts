import type { PushSubscription as Subscription } from '@holdpoint/schema/notification'
import { mayKeepWorker, registerWorker, workerRegistration } from './worker-registration.ts'

/** The subscription of this browser for the gateway with this key, made if there is none. Throws what the browser says. */
export async function subscribeBrowser(publicKey: string): Promise<Subscription> {
  await registerWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  const key = bytesOf(publicKey)
  let subscription = await pushManager.getSubscription()
  // One that was made for another gateway, or before this one lost its keys.
  if (subscription && !sameBytes(subscription.options.applicationServerKey, key)) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  return read(subscription)
}

export async function unsubscribeBrowser(): Promise<void> {
  const registration = await workerRegistration()
  const subscription = await registration?.pushManager?.getSubscription()
  await subscription?.unsubscribe()
  if (!mayKeepWorker()) await registration?.unregister()
}

function read(subscription: PushSubscription): Subscription {
  const { endpoint = '', keys = {} } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys
  return { endpoint, keys: { p256dh, auth } }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}

function sameBytes(buffer: ArrayBuffer | null, bytes: Uint8Array): boolean {
  if (buffer?.byteLength !== bytes.length) return false
  return new Uint8Array(buffer).every((byte, index) => byte === bytes[index])
}
