import { request } from '@holdpoint/client/calls'
import type { Result } from '@holdpoint/client/gateway-client'
import type { Wire } from '@holdpoint/client/transport'
import type { ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import type { NodeId } from '@holdpoint/schema/id'
import type { ItemPage } from '@holdpoint/schema/item'
import { paths } from '@holdpoint/schema/paths'

export interface TranscriptCalls {
  /** Newest first; `folder` is a part of the path. */
  list(options: {
    readonly folder?: string
    readonly after?: string
    /** The machine that they are on. Left out: the gateway's own. */
    readonly node?: NodeId | undefined
  }): Promise<Result<ReplyOf<typeof paths.transcripts.list>>>
  /** Oldest first, the last page first. */
  items(
    id: string,
    options: { readonly before?: number | undefined; readonly node?: NodeId | undefined },
  ): Promise<Result<ItemPage>>
}

export function transcriptCalls(wire: Pick<Wire, 'call'>): TranscriptCalls {
  return {
    list: ({ folder, after, node }) =>
      request(wire, paths.transcripts.list, { query: { folder: folder === '' ? undefined : folder, after, node } }),
    items: (id, { before, node }) =>
      request(wire, paths.transcripts.items, { params: { id }, query: { before, node } }),
  }
}
