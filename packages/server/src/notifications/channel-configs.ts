import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@holdpoint/core/clock'
import { createTurn } from '@holdpoint/core/turns'
import type { ChannelId, NewId } from '@holdpoint/schema/id'
import { Channel, type ChannelInput, type ChannelTarget } from '@holdpoint/schema/notification'
import type { FollowedRecords } from '../cluster/followed-records.ts'
import { keepRecords, type RecordNow } from '../cluster/kept-records.ts'
import type { Log } from '../system/log.ts'
import type { AnswerNotice, NoticeChannel } from './channel.ts'
import { addressOf, givenTarget, keptTarget, maskedTarget, refuseTarget } from './channel-secrets.ts'
import type { ChatTurns } from './chat-turns.ts'
import { createNtfyChannel } from './ntfy-channel.ts'
import type { Outbound } from './outbound.ts'
import { createTelegramChannel } from './telegram-channel.ts'
import { createWebhookChannel, newWebhookSecret } from './webhook-channel.ts'

const COLLECTION = 'notice-channels'
export const MAX_CHANNELS = 50

/** Why a channel is not taken, in words for the person who entered it. */
export interface RefusedChannel {
  readonly refused: string
}

/** The channels that owners have set up. What is given out has its secrets masked. */
export interface ChannelConfigs {
  /** Those that are switched on, ready to send. */
  list(): readonly { readonly config: Channel; readonly channel: NoticeChannel }[]
  /** All of them. */
  shown(): readonly Channel[]
  /** `secret`: of a webhook, if it was made here. Nobody gets to see it again. */
  add(input: ChannelInput): Promise<{ readonly channel: Channel; readonly secret?: string } | RefusedChannel>
  /** `undefined`: there is none with this id. */
  change(id: string, input: ChannelInput): Promise<{ readonly channel: Channel } | RefusedChannel | undefined>
  /** Says whether there was one. */
  remove(id: string): Promise<boolean>
  close(): Promise<void>
}

interface Entry {
  /** With its secrets. */
  readonly stored: Channel
  readonly channel: NoticeChannel | undefined
}

interface Deps {
  readonly records: FollowedRecords
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  readonly newId: NewId
  readonly outbound: Outbound
  readonly answer: AnswerNotice
  readonly turns: ChatTurns
}

export async function createChannelConfigs(deps: Deps): Promise<ChannelConfigs> {
  const { records, clock, log, newId } = deps
  const entries = new Map<ChannelId, Entry>()
  let isClosed = false
  /** One change at a time: what sends is what was stored last. */
  const inTurn = createTurn()

  const kept = await keepRecords(records, COLLECTION, take)

  async function take(now: readonly RecordNow[]) {
    for (const { key, value } of now) {
      const known = find(key)
      if (known && isDeepStrictEqual(known.stored, value)) continue
      const read = Channel.safeParse(value)
      // First the old one: a chat has one reader at a time.
      await known?.channel?.close?.()
      entries.delete(key as ChannelId)
      if (isClosed || value === undefined) continue
      if (read.success && refuseTarget(read.data.target) === undefined) open(read.data)
      // Nobody is told by it, which allows nothing.
      else log.warn('channel_not_read', { channel: key })
    }
  }

  function open(stored: Channel) {
    entries.set(stored.id, { stored, channel: stored.enabled ? createChannel(stored, deps) : undefined })
  }

  function find(id: string): Entry | undefined {
    return entries.get(id as ChannelId)
  }

  /** Two readers of one bot would take each other's answers. */
  function otherWithSameBot(target: ChannelTarget, id?: ChannelId): boolean {
    if (target.type !== 'telegram') return false
    return [...entries.values()].some(({ stored }) => {
      return stored.id !== id && stored.target.type === 'telegram' && stored.target.token === target.token
    })
  }

  function refuseAddress(target: ChannelTarget): string | undefined {
    const address = addressOf(target)
    return address === undefined ? undefined : deps.outbound.refuses(address)
  }

  function changed(known: Channel, input: ChannelInput): Channel | RefusedChannel {
    const target = keptTarget(input.target, known.target)
    if ('refused' in target) return target
    const refused = refuseTarget(target) ?? refuseAddress(target)
    if (refused !== undefined) return { refused }
    if (otherWithSameBot(target, known.id)) return { refused: SAME_BOT }
    return { ...known, ...input, target }
  }

  async function put(stored: Channel) {
    await kept.put(stored.id, stored)
    return masked(stored)
  }

  return {
    list: () =>
      [...entries.values()].flatMap(({ stored, channel }) => (channel ? [{ config: masked(stored), channel }] : [])),
    shown: () => [...entries.values()].map(({ stored }) => masked(stored)),
    add: (input) =>
      inTurn(async () => {
        if (entries.size >= MAX_CHANNELS)
          return { refused: `there are ${MAX_CHANNELS} channels already: remove one first` }
        const given = givenTarget(input.target)
        const secret = given.type === 'webhook' && given.secret === undefined ? newWebhookSecret() : undefined
        const target = secret === undefined ? given : { ...given, secret }
        const refused = refuseTarget(target) ?? refuseAddress(target)
        if (refused !== undefined) return { refused }
        if (otherWithSameBot(target)) return { refused: SAME_BOT }
        const channel = await put({ ...input, target, id: newId('chn'), createdAt: clock.now() })
        return { channel, ...(secret !== undefined && { secret }) }
      }),
    change: (id, input) =>
      inTurn(async () => {
        let refused: RefusedChannel | undefined
        // One that another gateway removes meanwhile does not come back: its people could answer.
        const channel = await kept.update(id, (now) => {
          const known = find(id) && Channel.safeParse(now).data
          const result = known && changed(known, input)
          if (!result || !('refused' in result)) return result
          refused = result
          return undefined
        })
        return channel ? { channel: masked(channel) } : refused
      }),
    remove: (id) =>
      inTurn(async () => {
        const entry = find(id)
        if (!entry) return false
        await kept.remove(entry.stored.id)
        return true
      }),
    async close() {
      await inTurn(async () => {
        isClosed = true
        await Promise.all([...entries.values()].map(({ channel }) => channel?.close?.()))
        entries.clear()
      })
    },
  }
}

const SAME_BOT = 'another channel uses this bot: make a bot for each chat'

function masked(stored: Channel): Channel {
  return { ...stored, target: maskedTarget(stored.target) }
}

function createChannel({ id, target }: Channel, deps: Deps): NoticeChannel {
  switch (target.type) {
    case 'webhook':
      return createWebhookChannel({ ...deps, url: target.url, secret: target.secret ?? '' })
    case 'ntfy':
      return createNtfyChannel({ ...deps, ...target })
    case 'telegram':
      return createTelegramChannel({ ...deps, ...target, chat: { ...target, id } })
  }
}
