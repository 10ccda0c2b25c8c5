import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { ClusterNode } from '@holdpoint/core/cluster'
import { folderEndpoints, type RecentFolder, type TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import type { DeviceId } from '@holdpoint/schema/id'
import { z } from 'zod'
import type { Surface } from '../auth/guard.ts'
import { createFoldersLike } from '../services/folders-like.ts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'
import { existingFolder, fromHome } from '../trust/existing-folder.ts'

const RECENT_LIMIT = 12

type Deps = Pick<
  Services,
  'ledger' | 'machines' | 'trustedFolders' | 'trustWatch' | 'devices' | 'log' | 'conversations'
> & {
  readonly dataDir: string
}

/** What a person needs to know of folders before an agent is started in one, and which ones are trusted. */
export function folderRoutes(services: Deps): Route[] {
  const { machines, trustedFolders } = services
  const foldersLike = createFoldersLike()
  return [
    route(folderEndpoints.read, {
      action: 'start-session',
      machine: ({ query }) => machines.other(query.node),
      async handle({ query }) {
        const path = query.path === undefined ? undefined : await existingFolder(fromHome(query.path))
        const trust = path === undefined ? undefined : await services.trustedFolders.look(path)
        const found = { exists: path !== undefined, trusted: trust?.state === 'trusted' }
        const recent = query.path === undefined ? await recentFolders(services) : []
        return { status: 200, body: { ...(path !== undefined && { path }), ...found, ...(trust && { trust }), recent } }
      },
    }),
    route(folderEndpoints.like, {
      action: 'start-session',
      machine: ({ query }) => machines.other(query.node),
      handle: async ({ query, signal }) => ({ status: 200, body: await foldersLike(query.path, signal) }),
    }),
    route(folderEndpoints.trusted, {
      action: 'trust-folder',
      machine: ({ query }) => machines.ifReachable(machines.other(query.node)),
      async handle({ query, device, surface, signal }) {
        const away = machines.list()?.find(({ id }) => id === machines.other(query.node))
        if (away) return { status: 200, body: { folders: shown(await trustedFolders.listAway(away.id), away) } }
        const here = machines.list()?.find(({ id }) => id === machines.node)
        const folders = shown(await trustedFolders.list(), here)
        if (query.node === undefined) {
          const others = machines.list()?.filter(({ id }) => id !== machines.node) ?? []
          const caller = { device: device.id, surface }
          const lists = await Promise.all(others.map((machine) => trustedAt(machine, caller, signal)))
          folders.push(...lists.flat())
        }
        return { status: 200, body: { folders } }
      },
    }),
    route(folderEndpoints.distrust, {
      action: 'trust-folder',
      machine: ({ query }) => machines.ifReachable(machines.other(query.node)),
      async handle({ query, device }) {
        const away = machines.other(query.node)
        if (!(await trustedFolders.distrust(query.path, away))) return refusal('not_found')
        services.log.info('folder_distrusted', { folder: query.path, by: device.id, ...(away && { node: away }) })
        // Where it cannot be reached now, its gateway looks when it is back.
        if (away === undefined) await services.trustWatch.check(query.path)
        return { status: 204 }
      },
    }),
  ]

  function shown(listed: Awaited<ReturnType<Deps['trustedFolders']['list']>>, machine: ClusterNode | undefined) {
    const names = new Map<string, string>(services.devices.list().map(({ id, name }) => [id, name]))
    return listed.map(({ by, at, ...folder }): TrustedFolder => {
      const name = names.get(by)
      const where = machine && { machine: { id: machine.id, name: machine.name } }
      return { ...folder, trustedAt: at, ...(name !== undefined && { by: name }), ...where }
    })
  }

  /** As its own gateway sees them, if it says so soon. */
  async function trustedAt(
    machine: ClusterNode,
    caller: { readonly device: DeviceId; readonly surface: Surface },
    signal: AbortSignal,
  ): Promise<readonly TrustedFolder[]> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])
    const { method, path } = folderEndpoints.trusted
    const call = { type: 'route', ...caller, method, path: `${path}?node=${machine.id}` } as const
    const result = machine.isReachable ? await machines.call(machine.id, call, { signal: limit }) : undefined
    const reply = result?.ok ? TrustedReply.safeParse(result.reply) : undefined
    return reply?.success ? reply.data.body.folders : shown(await trustedFolders.listAway(machine.id), machine)
  }
}

const TrustedReply = z.object({ status: z.literal(200), body: folderEndpoints.trusted.replies[200] })
/** Of waiting for another machine's list. */
const LIST_MS = 3000

async function recentFolders({
  ledger,
  machines,
  trustedFolders,
  conversations,
  dataDir,
}: Deps): Promise<RecentFolder[]> {
  // Inside the data folder are our own: the demo's scratch folders.
  const own = [dataDir, await realpath(dataDir).catch(() => dataDir)].map((folder) => folder + sep)
  const alive = [...ledger.views().values()].map(({ session }) => session)
  const used = [...alive, ...ledger.ended()]
    .filter(machines.isOurs)
    .map(({ cwd, stateChangedAt }) => ({ path: cwd, lastUsedAt: stateChangedAt }))
  const elsewhere = (await conversations?.recentFolders(RECENT_LIMIT * 2)) ?? []
  const lastUsed = new Map<string, number>()
  for (const { path, lastUsedAt } of [...used, ...elsewhere]) {
    if (own.some((folder) => path.startsWith(folder))) continue
    lastUsed.set(path, Math.max(lastUsedAt, lastUsed.get(path) ?? 0))
  }
  const recent: RecentFolder[] = []
  for (const [path, lastUsedAt] of [...lastUsed].sort(([, one], [, other]) => other - one)) {
    if (recent.length === RECENT_LIMIT) break
    if ((await existingFolder(path)) === undefined) continue
    recent.push({ path, trusted: await trustedFolders.isTrusted(path), lastUsedAt })
  }
  return recent
}
