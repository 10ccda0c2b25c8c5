import { chmod, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { HOOK_HOST, hookSocket } from '@holdpoint/agents/hook/hook-access'
import type { Context } from '../context.ts'
import { createListener } from '../http/listener.ts'
import type { Route } from '../http/route.ts'

/**
 * Serves the hooks of this machine's terminals, and nothing else, in the data folder: what listens there is this user's,
 * whatever became of the port; and a hook gets there without starting Node.
 */
export async function listenForHooks(context: Context, routes: readonly Route[]): Promise<Server> {
  const server = createListener({
    context,
    routes,
    sockets: [],
    webApp: { find: () => undefined },
    guard: {
      allowedHosts: new Set([HOOK_HOST]),
      allowedOrigins: new Set(),
      pageOrigins: new Map(),
      authenticate: context.devices.authenticate,
    },
  })
  sayRefusals(server, context)
  const path = hookSocket(context.dataDir)
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
  return server
}

/** For whoever wonders why nothing was asked: a hook itself says nothing. Each kind once, for hooks are many. */
function sayRefusals(server: Server, { log }: Pick<Context, 'log'>): void {
  const said = new Set<number>()
  server.on('request', (_request, response) => {
    response.on('finish', () => {
      const { statusCode: status } = response
      // Told to come again, by a gateway that goes: nobody will wonder about that.
      if (status < 400 || said.has(status) || !server.listening) return
      said.add(status)
      log.warn('the hook of a terminal was refused', { status })
    })
  })
}
