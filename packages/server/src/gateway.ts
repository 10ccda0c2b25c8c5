import type { Terminals } from '@holdpoint/agents/hosted/terminals'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { DirectEndpoint } from '@holdpoint/schema/direct-endpoint'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Surface } from './auth/guard.ts'
import { loginLink } from './auth/login-link.ts'
import { createServices, type ServicesOptions } from './create-services.ts'
import { createDialects } from './dialects/dialects.ts'
import type { DialectName } from './dialects/shared/dialect.ts'
import { createDirectEndpoint } from './direct/direct-endpoint.ts'
import { createGatewayServer, type ListenOptions } from './gateway-server.ts'
import { createNotifications } from './notifications/notifications.ts'
import { createOutbound } from './notifications/outbound.ts'
import { createPushOutbound } from './notifications/push-outbound.ts'
import { accountRoutes } from './routes/account-routes.ts'
import { askRoutes } from './routes/ask-routes.ts'
import { attachmentRoutes } from './routes/attachment-routes.ts'
import { changeRoutes } from './routes/change-routes.ts'
import { channelRoutes } from './routes/channel-routes.ts'
import { composingRoutes } from './routes/composing-routes.ts'
import { folderRoutes } from './routes/folder-routes.ts'
import { historyRoutes } from './routes/history-routes.ts'
import { accessRoute, hookCheckRoute, hookRoute } from './routes/hook-route.ts'
import { machineRoutes } from './routes/machine-routes.ts'
import { notificationRoutes } from './routes/notification-routes.ts'
import { policyRoutes } from './routes/policy-routes.ts'
import { ptyRoutes } from './routes/pty-routes.ts'
import { ptySocket } from './routes/pty-socket.ts'
import { retentionRoutes } from './routes/retention-routes.ts'
import { sessionRoutes } from './routes/session-routes.ts'
import { systemRoutes } from './routes/system-routes.ts'
import { threadRoutes } from './routes/thread-routes.ts'
import { timeLimitRoutes } from './routes/time-limit-routes.ts'
import { transcriptRoutes } from './routes/transcript-routes.ts'
import { usageRoutes } from './routes/usage-routes.ts'
import { streamSocket } from './routes/web-socket.ts'
import { serveNodeCalls } from './services/serve-node-calls.ts'
import type { Services } from './services/services.ts'
import { VERSION } from './system/version.ts'
import { describeApi } from './transport/openapi.ts'
import type { Route } from './transport/route.ts'

export interface GatewayOptions extends ServicesOptions {
  /** The protocols that are spoken beside the native one; all of them unless told otherwise. */
  readonly dialects?: readonly DialectName[]
  /** Where the terminals are that a driver among these hosts; without it there are none to look at. */
  readonly hosted?: Terminals
  /** Where browsers reach this gateway directly, for those who are at another machine's: for its terminals. */
  readonly advertise?: string
  /** Makes a folder for a session that was started without one, for agents that bring their own. */
  readonly scratchFolder?: (agent: string) => Promise<string | undefined>
}

/** Some services are for programs in the same process: embedding, benchmarks, tests. */
export interface Gateway
  extends Pick<
    Services,
    'ledger' | 'broker' | 'sessions' | 'devices' | 'attachments' | 'fanOut' | 'connections' | 'unread' | 'received'
  > {
  readonly routes: readonly Route[]
  /** The gateway as a program in this process reaches it: it acts for one device. */
  direct(deviceId: DeviceId): DirectEndpoint
  /** Serves the API and the web app, and resolves with the address. Once; without it the gateway serves this process alone. */
  listen(options: ListenOptions): Promise<string>
  /** Takes up the agents that an earlier gateway left. Once, and after `listen` where there is one. */
  resume(): void
  /** A fresh single-use link for a browser. */
  loginLink(): string
  /** Stops taking calls at once, finishes commits, leaves agents to the host; frees the port last. */
  close(): Promise<void>
}

/** The one place where services, routes and dialects are put together. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { dataDir, hosted, terminals, scratchFolder = async () => undefined } = options
  const { services, ownSessions, messages: nodes, agents, close: closeServices } = await createServices(options)
  const { ledger, broker, sessions, devices, attachments, fanOut, connections, unread, received } = services
  const closing = new AbortController()
  const server = createGatewayServer({ ...services, dataDir, closing: closing.signal })
  const { publicUrl } = server
  const outbound = createOutbound({ allowed: options.notifyAllow ?? [] })
  const notifications = await createNotifications(
    {
      ...services,
      outbound,
      pushOutbound: createPushOutbound(outbound),
      ...(options.cluster && nodes && { others: { cluster: options.cluster, messages: nodes } }),
    },
    { publicUrl },
  )
  // What runs in a terminal is named when it is started, and that is another call.
  const offered = agents.filter((agent) => sessions.knows(agent) && agent !== TERMINAL_AGENT)

  const dialects = createDialects(services, options.dialects)
  const messages = dialects.find((dialect) => dialect.messages)?.messages
  const sockets = [
    streamSocket(services),
    ...(hosted ? [ptySocket(services, hosted)] : []),
    ...dialects.flatMap((dialect) => dialect.sockets),
  ]
  const routes: Route[] = [
    ...sessionRoutes({ ...services, scratchFolder }, messages),
    ...composingRoutes(services),
    ...changeRoutes(services),
    ...askRoutes(services),
    ...historyRoutes(services),
    ...usageRoutes(services),
    ...folderRoutes({ ...services, dataDir }),
    ...accountRoutes({ ...services, agents: offered, publicUrl }),
    ...policyRoutes(services),
    ...attachmentRoutes(services),
    ...threadRoutes(services),
    ...(hosted ? ptyRoutes(services, hosted) : []),
    ...timeLimitRoutes(services),
    ...retentionRoutes(services),
    ...notificationRoutes({ ...services, notifications }),
    ...channelRoutes({ ...services, channels: notifications.channels }),
    ...machineRoutes(services, options.cluster),
    ...systemRoutes(services, () => describeApi(routes, VERSION)),
    ...(terminals ? [accessRoute(services), ...transcriptRoutes(services, terminals.projects)] : []),
    ...dialects.flatMap((dialect) => dialect.routes),
  ]
  const direct = (deviceId: DeviceId, surface?: Surface) =>
    createDirectEndpoint({ ...services, routes, deviceId, ...(surface && { surface }), closing: closing.signal })
  options.cluster?.describe({
    version: VERSION,
    agents: offered,
    ...(options.advertise !== undefined && { address: options.advertise }),
  })
  if (options.cluster) {
    const notices = notifications.here
    serveNodeCalls({ ...services, sessions: ownSessions, cluster: options.cluster, direct, notices })
  }
  const hookRoutes = terminals && [hookRoute(services, terminals.attached), hookCheckRoute(services)]

  async function close() {
    // First, in this very tick, nobody is let in any more; last goes the port. In between nothing is proved, opened or
    // given for whoever may have the port next (T64).
    closing.abort()
    for (const socket of sockets) socket.server.close()
    try {
      await notifications.close()
      await closeServices()
    } finally {
      await server.close()
    }
  }

  return {
    ledger,
    broker,
    sessions,
    devices,
    attachments,
    fanOut,
    connections,
    unread,
    received,
    routes,
    direct: (deviceId) => direct(deviceId),
    listen: (at) => server.listen(at, { routes, sockets, ...(hookRoutes && { hookRoutes }) }),
    resume() {
      sessions.reattach()
      services.changedFiles?.resume()
      services.recordCheck.start()
      services.historyIndex.start()
      services.retention.start()
    },
    loginLink: () => loginLink(server.localUrl(), devices.newCode({ role: 'owner' }).code),
    close,
  }
}
