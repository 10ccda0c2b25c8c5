import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { folderEndpoints, type RecentFolder } from '@holdpoint/schema/endpoints/folders'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'
import { existingFolder, fromHome } from '../trust/existing-folder.ts'

const RECENT_LIMIT = 12

type Deps = Pick<Services, 'ledger' | 'machines' | 'trustedFolders' | 'trustWatch' | 'devices' | 'log'> & {
  readonly dataDir: string
}

/** What a person needs to know of folders before an agent is started in one, and which ones are trusted. */
export function folderRoutes(services: Deps): Route[] {
  return [
    route(folderEndpoints.read, {
      action: 'start-session',
      machine: ({ query }) => services.machines.other(query.node),
      async handle({ query }) {
        const path = query.path === undefined ? undefined : await existingFolder(fromHome(query.path))
        const trust = path === undefined ? undefined : await services.trustedFolders.look(path)
        const found = { exists: path !== undefined, trusted: trust?.state === 'trusted' }
        const recent = await recentFolders(services)
        return { status: 200, body: { ...(path !== undefined && { path }), ...found, ...(trust && { trust }), recent } }
      },
    }),
    route(folderEndpoints.trusted, {
      action: 'trust-folder',
      machine: ({ query }) => services.machines.other(query.node),
      async handle() {
        const names = new Map<string, string>(services.devices.list().map(({ id, name }) => [id, name]))
        const folders = (await services.trustedFolders.list()).map(({ by, at, ...folder }) => {
          const name = names.get(by)
          return { ...folder, trustedAt: at, ...(name !== undefined && { by: name }) }
        })
        return { status: 200, body: { folders } }
      },
    }),
    route(folderEndpoints.distrust, {
      action: 'trust-folder',
      machine: ({ query }) => services.machines.other(query.node),
      async handle({ query, device }) {
        if (!(await services.trustedFolders.distrust(query.path))) return refusal('not_found')
        services.log.info('folder_distrusted', { folder: query.path, by: device.id })
        await services.trustWatch.check(query.path)
        return { status: 204 }
      },
    }),
  ]
}

async function recentFolders({ ledger, machines, trustedFolders, dataDir }: Deps): Promise<RecentFolder[]> {
  // Inside the data folder are our own: the demo's scratch folders.
  const own = [dataDir, await realpath(dataDir).catch(() => dataDir)].map((folder) => folder + sep)
  const lastUsed = new Map<string, number>()
  const alive = [...ledger.views().values()].map(({ session }) => session)
  for (const { cwd, stateChangedAt } of [...alive, ...ledger.ended()].filter(machines.isOurs)) {
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
