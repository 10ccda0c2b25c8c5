import { resultOf } from '@holdpoint/client/calls'
import type { Result } from '@holdpoint/client/gateway-client'
import type { Wire } from '@holdpoint/client/transport'
import type { Item } from '@holdpoint/schema/item'

/** A conversation that Claude Code had on the gateway's machine. */
export interface Transcript {
  /** Claude Code's own. */
  readonly id: string
  /** Left out where the file does not say. */
  readonly cwd?: string
  readonly title: string
  readonly modifiedAt: number
  /** Bytes. */
  readonly size: number
}

export interface TranscriptPage {
  readonly transcripts: readonly Transcript[]
  /** Where the next page starts, if there is one. */
  readonly next?: string
}

export interface TranscriptItems {
  readonly items: readonly Item[]
  readonly nextBefore?: number
}

export interface TranscriptCalls {
  /** Newest first; `folder` is a part of the path. */
  list(options: { readonly folder?: string; readonly after?: string }): Promise<Result<TranscriptPage>>
  /** Oldest first, the last page first. */
  items(id: string, before?: number): Promise<Result<TranscriptItems>>
}

export function transcriptCalls(wire: Pick<Wire, 'call'>): TranscriptCalls {
  async function get<Value>(path: string, query: Readonly<Record<string, string | undefined>>): Promise<Result<Value>> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const search = new URLSearchParams(given).toString()
    return resultOf<Value>(await wire.call({ method: 'GET', path: search === '' ? path : `${path}?${search}` }))
  }
  return {
    list: ({ folder, after }) => get('/api/transcripts', { folder: folder === '' ? undefined : folder, after }),
    items: (id, before) =>
      get(`/api/transcripts/${encodeURIComponent(id)}/items`, {
        before: before === undefined ? undefined : String(before),
      }),
  }
}
