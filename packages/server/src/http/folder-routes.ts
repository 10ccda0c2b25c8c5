import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, sep } from 'node:path'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { existingFolder } from '../existing-folder.ts'
import { FolderTrust } from '../trusted-folders.ts'
import { type Route, route } from './route.ts'

const RECENT_LIMIT = 12

const RecentFolder = z.object({ path: z.string(), trusted: z.boolean(), lastUsedAt: z.int() })
type RecentFolder = z.infer<typeof RecentFolder>

/** What a person needs to know of folders before an agent is started in one. */
export function folderRoutes(context: Context): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/folders',
      action: 'start-session',
      summary:
        'Whether a folder exists and is trusted, with the files that act where it is, and the folders that sessions used lately',
      query: z.strictObject({ path: z.string().max(4096).optional() }),
      replies: {
        200: z.object({
          path: z.string().optional(),
          exists: z.boolean(),
          trusted: z.boolean(),
          trust: FolderTrust.optional(),
          recent: z.array(RecentFolder),
        }),
      },
      async handle({ query }) {
        const path = query.path === undefined ? undefined : await existingFolder(fromHome(query.path))
        const trust = path === undefined ? undefined : await context.trustedFolders.look(path)
        const found = { exists: path !== undefined, trusted: trust?.state === 'trusted' }
        const recent = await recentFolders(context)
        return { status: 200, body: { ...(path !== undefined && { path }), ...found, ...(trust && { trust }), recent } }
      },
    }),
  ]
}

/** As a shell reads it: `~` and `~/…` are the home folder of whoever runs the gateway. */
function fromHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
}

async function recentFolders({ ledger, trustedFolders, dataDir }: Context): Promise<RecentFolder[]> {
  // Inside the data folder are our own: the demo's scratch folders.
  const own = [dataDir, await realpath(dataDir).catch(() => dataDir)].map((folder) => folder + sep)
  const lastUsed = new Map<string, number>()
  const alive = [...ledger.views().values()].map(({ session }) => session)
  for (const { cwd, stateChangedAt } of [...alive, ...ledger.ended()]) {
    if (own.some((folder) => cwd.startsWith(folder))) continue
    lastUsed.set(cwd, Math.max(stateChangedAt, lastUsed.get(cwd) ?? 0))
  }
  const recent: RecentFolder[] = []
  for (const [path, lastUsedAt] of [...lastUsed].sort(([, one], [, other]) => other - one)) {
    if (recent.length === RECENT_LIMIT) break
    if ((await existingFolder(path)) === undefined) continue
    recent.push({ path, trusted: await trustedFolders.isTrusted(path), lastUsedAt })
  }
  return recent
}
