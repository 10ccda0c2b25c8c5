import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { NodeId } from '../id.ts'
import { paths } from '../paths.ts'

/** How a folder stands, and what a person has to see before they trust it. */
export const FolderTrust = z.object({
  state: z.enum(['trusted', 'changed', 'untrusted']),
  /** Why it does not count as trusted any more, or cannot be. */
  reason: z.string().optional(),
  /** Stands for exactly these files: a client that trusts them hands it back. Left out where they cannot be read. */
  digest: z.string().optional(),
  /** Settings, hooks and MCP servers of the folder and of those above it, and the files that they name. */
  files: z.array(
    z.object({
      path: z.string(),
      /** Against what was trusted. */
      change: z.enum(['new', 'changed', 'removed']).optional(),
      text: z.string().optional(),
    }),
  ),
  /** What runs files that are not known, so that trust does not end when those change. Left out where there is none. */
  unwatched: z.array(z.object({ what: z.string(), why: z.string() })).optional(),
})
export type FolderTrust = z.infer<typeof FolderTrust>

/** Where a session was started lately, here or by Claude Code itself. */
export const RecentFolder = z.object({ path: z.string(), trusted: z.boolean(), lastUsedAt: z.int() })
export type RecentFolder = z.infer<typeof RecentFolder>

/** What is known of a folder. Of no folder: where sessions were started lately. */
export const Folders = z.object({
  /** The folder as the gateway resolved it. */
  path: z.string().optional(),
  exists: z.boolean(),
  trusted: z.boolean(),
  trust: FolderTrust.optional(),
  recent: z.array(RecentFolder),
})
export type Folders = z.infer<typeof Folders>

/** What a path may go on with. */
export const FoldersLike = z.object({
  /** As they would be typed, the most similar ones first. */
  folders: z.array(z.string()),
  /** There are others, or the disk did not say in time. */
  more: z.boolean(),
})
export type FoldersLike = z.infer<typeof FoldersLike>

/** A folder that a person has trusted. */
export const TrustedFolder = z.object({
  path: z.string(),
  trustedAt: z.int(),
  /** Whether it counts: not where its settings have changed since. */
  trusted: z.boolean(),
  /** Why it does not count, where it does not. */
  reason: z.string().optional(),
  /** What the device is called that trusted it. Left out where that is gone. */
  by: z.string().optional(),
  /** The machine that it is on, where there are several. */
  machine: z.object({ id: NodeId, name: z.string() }).optional(),
})
export type TrustedFolder = z.infer<typeof TrustedFolder>

/** Which machine is meant, where there are several. Left out: the one that takes the call. */
export const OnMachine = { node: NodeId.optional() }

export const folderEndpoints = {
  read: {
    ...paths.folders.read,
    summary:
      'Whether a folder exists and is trusted, and the settings files that apply in it. Without a path, recently used folders',
    query: z.strictObject({ path: z.string().max(4096).optional(), ...OnMachine }),
    replies: { 200: Folders },
  },
  like: {
    ...paths.folders.like,
    summary: 'The folders that a path which is being typed may mean',
    query: z.strictObject({ path: z.string().min(1).max(4096), ...OnMachine }),
    replies: { 200: FoldersLike },
  },
  trusted: {
    ...paths.folders.trusted,
    summary: 'Every folder that a person has trusted: on one machine if it is named, on all of them otherwise',
    query: z.strictObject(OnMachine),
    replies: { 200: z.object({ folders: z.array(TrustedFolder) }) },
  },
  distrust: {
    ...paths.folders.distrust,
    summary: 'Stop trusting a folder. Its agents restart without its settings',
    query: z.strictObject({ path: z.string().min(1).max(4096), ...OnMachine }),
    replies: { 204: 'no longer trusted' },
  },
} satisfies EndpointsOf<typeof paths.folders>
