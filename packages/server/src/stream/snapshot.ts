import type { Ledger } from '@holdpoint/core/ledger'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { Snapshot, SnapshotPart } from '@holdpoint/schema/stream'
import type { OpenAskNotices } from '../attention/ask-notices.ts'
import { sees } from '../auth/devices.ts'
import { cursorOf } from './cursor.ts'
import { lightAsk } from './light.ts'

/** Takes no copies: what is in it never changes, and is the ledger's own. */
export function takeSnapshot(
  { ledger, askNotices }: { readonly ledger: Ledger; readonly askNotices: Pick<OpenAskNotices, 'of'> },
  options: { device: Device; sessionId?: SessionId },
): Required<Snapshot> {
  const visible = (id: SessionId) => sees(options.device, id) && (!options.sessionId || options.sessionId === id)
  const views = [...ledger.views().values()].filter((view) => visible(view.session.id))
  const ended = [...ledger.ended()].filter((session) => visible(session.id) && !session.deleted)
  const asks = views.flatMap((view) => [...view.asks.values()]).sort((a, b) => a.raisedAt - b.raisedAt)
  return {
    seq: ledger.seq(),
    cursor: cursorOf(ledger.seq(), ledger.hash()),
    sessions: [...views.map((view) => view.session), ...ended],
    asks,
    queued: views.flatMap((view) => view.queue.map((item) => ({ sessionId: view.session.id, item }))),
    notices: asks.flatMap(({ id }) => askNotices.of(id) ?? []),
  }
}

/** Characters of one piece: a slow client holds no more than this and what it was sent before (F58). */
export const PIECE = 256 * 1024

/**
 * A snapshot as clients get it: one frame, or, where that would be long, parts of which the last one has the cursor. Made
 * piece by piece, when the client has read the one before.
 */
export function* snapshotTexts(snapshot: Required<Snapshot>): Generator<string, void, undefined> {
  const place = `"seq":${snapshot.seq},"cursor":"${snapshot.cursor}",`
  const lists = { sessions: [] as string[], asks: [] as string[], queued: [] as string[], notices: [] as string[] }
  let length = 0
  let isFirst = true

  function piece(isLast: boolean): string {
    const type = isFirst && isLast ? 'snapshot' : 'snapshot-part'
    const fields = Object.entries(lists).map(([name, texts]) => `"${name}":[${texts.splice(0).join()}]`)
    isFirst = false
    length = 0
    return `{"type":"${type}",${isLast ? place : ''}${fields.join()}}`
  }

  for (const [name, text] of entries(snapshot)) {
    if (length > 0 && length + text.length > PIECE) yield piece(false)
    lists[name].push(text)
    length += text.length
  }
  yield piece(true)
}

function* entries(snapshot: Required<SnapshotPart>): Generator<[keyof SnapshotPart, string], void, undefined> {
  const { sessions, asks, queued, notices } = snapshot
  for (const session of sessions) yield ['sessions', textOf(session)]
  for (const ask of asks) yield ['asks', textOf(lightAsk(ask))]
  for (const message of queued) yield ['queued', JSON.stringify(message)]
  for (const notice of notices) yield ['notices', JSON.stringify(notice)]
}

const texts = new WeakMap<object, string>()

/** Written down once for all clients: after a restart a thousand want the same (F33). */
function textOf(value: Session | Ask): string {
  const known = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, known)
  return known
}

/** Writes pieces as the client reads them. Undefined when one was all: then nothing can have happened in between. */
export function writePieces(
  pieces: Iterator<string>,
  options: { write: (piece: string) => void; ready: () => Promise<void>; signal: AbortSignal },
): Promise<void> | undefined {
  const { write, ready, signal } = options
  let next = pieces.next()
  const step = () => {
    if (!next.done) write(next.value)
    next = pieces.next()
  }
  step()
  if (next.done) return undefined
  return (async () => {
    while (!next.done && !signal.aborted) {
      await ready()
      if (!signal.aborted) step()
    }
  })()
}
