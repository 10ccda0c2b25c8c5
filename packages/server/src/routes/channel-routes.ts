import { notificationEndpoints } from '@holdpoint/schema/endpoints/notifications'
import type { ChannelInput } from '@holdpoint/schema/notification'
import type { ChannelConfigs } from '../notifications/channel-configs.ts'
import type { Services } from '../services/services.ts'
import { type Refusal, refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

const MANAGE = 'manage-notifications'

export function channelRoutes({
  channels,
  devices,
  log,
}: Pick<Services, 'devices' | 'log'> & { readonly channels: ChannelConfigs }): Route[] {
  const notTaken = (issue: string): Refusal => refusal('invalid_request', { issues: [issue] })

  /** Whoever may answer in a chat is bound to a paired device first (T58). */
  function refuseSenders({ target }: ChannelInput): Refusal | undefined {
    if (target.type !== 'telegram') return undefined
    const unknown = target.senders.find(({ deviceId }) => !devices.current(deviceId))
    return unknown && notTaken(`there is no device ${unknown.deviceId}: pair it first`)
  }

  return [
    route(notificationEndpoints.addChannel, {
      action: MANAGE,
      async handle({ body, device }) {
        const refused = refuseSenders(body)
        if (refused) return refused
        const added = await channels.add(body)
        if ('refused' in added) return notTaken(added.refused)
        log.info('channel_added', { channel: added.channel.id, type: body.target.type, by: device.id })
        return { status: 201, body: added }
      },
    }),
    route(notificationEndpoints.changeChannel, {
      action: MANAGE,
      async handle({ params, body, device }) {
        const refused = refuseSenders(body)
        if (refused) return refused
        const changed = await channels.change(params.id ?? '', body)
        if (!changed) return refusal('not_found')
        if ('refused' in changed) return notTaken(changed.refused)
        log.info('channel_changed', { channel: changed.channel.id, by: device.id })
        return { status: 200, body: changed }
      },
    }),
    route(notificationEndpoints.removeChannel, {
      action: MANAGE,
      async handle({ params, device }) {
        if (!(await channels.remove(params.id ?? ''))) return refusal('not_found')
        log.info('channel_removed', { channel: params.id, by: device.id })
        return { status: 204 }
      },
    }),
  ]
}
