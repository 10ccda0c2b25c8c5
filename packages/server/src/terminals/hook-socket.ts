import { chmod, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { HOOK_HOST, hookSocket } from '@holdpoint/agents/claude/hooks/hook-access'
import type { Devices } from '../auth/devices.ts'
import type { Log } from '../system/log.ts'
import type { Connections } from '../transport/connections.ts'
import { createListener, type Listener } from '../transport/listener.ts'
import type { Route } from '../transport/route.ts'
import type { Unread } from '../transport/unread.ts'

interface HookSocketDeps {
  readonly devices: Devices
  readonly connections: Connections
  readonly unread: Unread
  readonly log: Log
  readonly dataDir: string
  /** Aborts when the gateway begins to close. */
  readonly closing: AbortSignal
}

/**
 * Serves the hooks of this machine's terminals, and nothing else, in the data folder: what listens there is this user's,
 * whatever became of the port; and a hook gets there without starting Node.
 */
export async function listenForHooks(deps: HookSocketDeps, routes: readonly Route[]): Promise<Listener> {
  const { devices, connections, unread, log, closing } = deps
  const listener = createListener({
    devices,
    connections,
    unread,
    log,
    routes,
    sockets: [],
    webApp: { find: () => undefined },
    guard: {
      closing,
      allowedHosts: new Set([HOOK_HOST]),
      allowedOrigins: new Set(),
      pageOrigins: new Map(),
      authenticate: devices.authenticate,
    },
  })
  const { server } = listener
  sayRefusals(server, deps)
  const path = hookSocket(deps.dataDir)
  // Left behind by a gateway that was killed: whoever may listen in this folder holds its lock.
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
  await chmod(path, 0o600)
  return listener
}

/** For whoever wonders why nothing was asked: a hook itself says nothing. Each kind once, for hooks are many. */
function sayRefusals(server: Server, { log, closing }: Pick<HookSocketDeps, 'log' | 'closing'>): void {
  const said = new Set<number>()
  server.on('request', (_request, response) => {
    response.on('finish', () => {
      const { statusCode: status } = response
      // Told to come again, by a gateway that goes: nobody will wonder about that.
      if (status < 400 || said.has(status) || closing.aborted) return
      said.add(status)
      log.warn('terminal_hook_refused', { status })
    })
  })
}
