import { createAskRate } from '@holdpoint/core/ask-rate'
import { notificationEndpoints } from '@holdpoint/schema/endpoints/notifications'
import { DeviceId } from '@holdpoint/schema/id'
import type { DeviceNotices } from '@holdpoint/schema/notification'
import { sees } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import type { DeviceSubscription } from '../notifications/device-subscriptions.ts'
import type { NotificationService } from '../notifications/notifications.ts'
import type { Services } from '../services/services.ts'
import { type Refusal, refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

/** Each test is sent to somebody, and may be waited for: a person who looks for a fault gets along with these. */
const TESTS = { atOnce: 10, perSecond: 1 / 6 }

type Deps = Pick<Services, 'ledger' | 'devices' | 'clock' | 'log'> & { readonly notifications: NotificationService }

export function notificationRoutes({ ledger, devices, clock, log, notifications }: Deps): Route[] {
  const { subscriptions, channels, escalations } = notifications
  const tests = createAskRate<DeviceId>(clock, TESTS)

  function noticesOf({ deviceId, name, settings, mayAllow, subscription }: DeviceSubscription): DeviceNotices {
    return {
      deviceId,
      name: devices.current(deviceId)?.name ?? name,
      settings,
      mayAllow,
      service: new URL(subscription.endpoint).host,
      state: notifications.stateOf(deviceId),
    }
  }

  return [
    route(notificationEndpoints.read, {
      action: 'get-notifications',
      handle({ device }) {
        const own = subscriptions.get(device.id)
        const seen = [...ledger.views().values()].filter(({ session }) => sees(device, session.id))
        const all = may(device, 'manage-notifications') && {
          devices: subscriptions.list().map(noticesOf),
          channels: channels.shown().map((channel) => ({ ...channel, state: notifications.stateOf(channel.id) })),
          escalations: escalations.list(),
        }
        return {
          status: 200,
          body: {
            publicKey: notifications.publicKey,
            ...(own && { own: noticesOf(own) }),
            ...all,
            projects: [...new Set(seen.map(({ session }) => session.cwd))].sort(),
          },
        }
      },
    }),
    route(notificationEndpoints.subscribe, {
      action: 'get-notifications',
      async handle({ device, body }) {
        const refused = notifications.refuses(device, body.subscription.endpoint)
        if (refused !== undefined)
          return refusal('invalid_request', { message: `The push service of this browser is not taken: ${refused}.` })
        const isNew = subscriptions.get(device.id) === undefined
        const set = await subscriptions.set(device, body)
        if (isNew) log.info('notifications_switched_on', { device: device.id })
        return { status: 200, body: noticesOf(set) }
      },
    }),
    route(notificationEndpoints.unsubscribe, {
      action: 'get-notifications',
      async handle({ device }) {
        if (await subscriptions.remove(device.id)) log.info('notifications_switched_off', { device: device.id })
        return { status: 204 }
      },
    }),
    route(notificationEndpoints.setMayAllow, {
      action: 'manage-notifications',
      async handle({ params, body, device }) {
        const id = DeviceId.safeParse(params.id)
        const set = id.success ? await subscriptions.setMayAllow(id.data, body.mayAllow) : undefined
        if (!set) return refusal('not_found')
        log.info('allow_button_switched', { device: set.deviceId, on: body.mayAllow, by: device.id })
        return { status: 200, body: noticesOf(set) }
      },
    }),
    route(notificationEndpoints.receipt, {
      // The token says all: who reports it, and about what. It gives nothing but a note in the record.
      action: 'public',
      handle: async ({ body }) =>
        (await notifications.shown(body.token, body.to)) ? { status: 204 } : refusal('not_found'),
    }),
    route(notificationEndpoints.answer, {
      // A service worker has no login. The token was sent to this device alone, for this ask as it was shown (T58).
      action: 'public',
      handle: ({ body }) => notifications.answer({ ...body, by: body.to, via: 'push' }),
    }),
    route(notificationEndpoints.test, {
      action: 'get-notifications',
      async handle({ device, body, signal }) {
        if (body.to !== device.id && !may(device, 'manage-notifications')) return refusal('forbidden')
        if (!tests.take(device.id)) return tooManyTests(tests.waitMs(device.id))
        const steps = await notifications.test(body.to, { signal })
        return steps ? { status: 200, body: { steps } } : refusal('not_found')
      },
    }),
    route(notificationEndpoints.setEscalations, {
      action: 'manage-notifications',
      async handle({ body, device }) {
        await escalations.set(body.escalations)
        log.info('escalations_set', { count: body.escalations.length, by: device.id })
        return { status: 200, body: { escalations: escalations.list() } }
      },
    }),
  ]
}

function tooManyTests(waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `Too many test notifications. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
  return { ...refusal('too_fast', { message }), headers: { 'retry-after': String(seconds) } }
}
