import type { Notice, NoticeChannel } from './channel.ts'
import type { Outbound } from './outbound.ts'
import { resultOfReply } from './reply-result.ts'

/** What ntfy shows in front of the title: names of its emojis. */
const TAGS: Record<Notice['kind'], readonly string[]> = {
  ask: ['raised_hand'],
  finished: ['white_check_mark'],
  failed: ['x'],
  message: ['speech_balloon'],
  alarm: ['rotating_light'],
  test: [],
}

/** From 1 to 5; 2 makes no sound. */
const SILENT = 2
const PRIORITY: Record<Notice['kind'], number> = { ask: 4, finished: 3, failed: 3, message: 3, alarm: 5, test: 3 }

/** Newer servers replace what has the same sequence; older ones do not know the field. */
const SEQUENCE = /^[\w-]{1,64}$/

/** Publishes to a topic of ntfy (https://docs.ntfy.sh/publish/#publish-as-json). Whoever reads the topic reads the notices. */
export function createNtfyChannel(deps: {
  readonly server: string
  readonly topic: string
  readonly token?: string
  readonly outbound: Outbound
}): NoticeChannel {
  const headers = {
    'content-type': 'application/json',
    ...(deps.token !== undefined && { authorization: `Bearer ${deps.token}` }),
  }

  return {
    async send(notice, { signal }) {
      const body = JSON.stringify({
        topic: deps.topic,
        title: notice.title,
        message: notice.body,
        click: notice.url,
        tags: TAGS[notice.kind],
        priority: notice.silent ? SILENT : PRIORITY[notice.kind],
        ...(SEQUENCE.test(notice.tag) && { sequence_id: notice.tag }),
      })
      return resultOfReply(await deps.outbound.post({ url: deps.server, headers, body, signal }))
    },
  }
}
