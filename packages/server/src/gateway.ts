import { createHash, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type { AttachedAgents } from '@holdpoint/agents/attached/attached-agents'
import { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'
import type { Terminals } from '@holdpoint/agents/pty/terminals'
import { type BrokerDeps, createBroker } from '@holdpoint/core/broker'
import type { Clock } from '@holdpoint/core/clock'
import type { AgentDriver } from '@holdpoint/core/driver'
import { createLedger } from '@holdpoint/core/ledger'
import { createSessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { LiveEvent } from '@holdpoint/schema/event'
import { idMaker } from '@holdpoint/schema/id'
import { addressesOf } from './addresses.ts'
import { type Attachments, createAttachments } from './attachments.ts'
import { createDevices } from './auth/devices.ts'
import { loginLink } from './auth/login-link.ts'
import { explainOldCookie } from './auth/old-cookie.ts'
import { createPageProofs } from './auth/page-proofs.ts'
import { createTickets } from './auth/tickets.ts'
import type { Context } from './context.ts'
import type { DialectName } from './dialects/dialect.ts'
import { createDialects } from './dialects/dialects.ts'
import { createEventLoopLag } from './event-loop-lag.ts'
import { accountRoutes } from './http/account-routes.ts'
import { askRoutes } from './http/ask-routes.ts'
import { attachmentRoutes } from './http/attachment-routes.ts'
import { type ConnectionLimits, createConnections } from './http/connections.ts'
import { folderRoutes } from './http/folder-routes.ts'
import { createListener, type Patience } from './http/listener.ts'
import { describeApi } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import { sessionRoutes } from './http/session-routes.ts'
import { systemRoutes } from './http/system-routes.ts'
import { createUnread } from './http/unread.ts'
import { loadWebApp } from './http/web-app.ts'
import { createLastPosition } from './last-position.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { endRulesOfOlderRecord } from './older-record.ts'
import { pooledRandomBytes } from './pooled-random.ts'
import { createRecordCheck } from './record-check.ts'
import { resumeClosed } from './resume-closed.ts'
import { createFanOut } from './stream/fan-out.ts'
import { createPartialTexts } from './stream/partial-texts.ts'
import { streamSocket } from './stream/web-socket.ts'
import { systemClock } from './system-clock.ts'
import { attachedSessions } from './terminals/attached-sessions.ts'
import { createConversations } from './terminals/conversations.ts'
import { accessRoute, hookCheckRoute, hookRoute } from './terminals/hook-route.ts'
import { listenForHooks } from './terminals/hook-socket.ts'
import { ptyRoutes } from './terminals/pty-routes.ts'
import { ptySocket } from './terminals/pty-socket.ts'
import { createTerminalAccess } from './terminals/terminal-access.ts'
import { transcriptRoutes } from './terminals/transcript-routes.ts'
import { watchTrust } from './trust-watch.ts'
import { createTrustedFolders } from './trusted-folders.ts'
import { VERSION } from './version.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** HTTPS address of a proxy or tunnel in front. */
  readonly publicUrl?: string
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer }
  /** Origins of pages that may call from elsewhere, with a token alone. */
  readonly allowOrigins?: readonly string[]
  readonly patience?: Patience
  /** The built web app; without it every page says that there is none. */
  readonly webFolder?: string
  /** Whether a process that has nothing else to do stays for the port and whoever is connected; it does unless told otherwise. */
  readonly holdsProcess?: boolean
}

export interface GatewayOptions {
  readonly dataDir: string
  readonly token?: string
  readonly idleMs: number
  readonly limits: ConnectionLimits
  /** The protocols that are spoken beside the native one; all of them unless told otherwise. */
  readonly dialects?: readonly DialectName[]
  readonly log: Log
  readonly clock?: Clock
  readonly store: Store
  /** Aborts when another gateway has the data folder: the store takes and gives nothing from then on. */
  readonly lost?: AbortSignal
  /** What can be run. Drivers get what they need to read attachments, and to tell whose agent a process is. */
  readonly drivers: (tools: DriverTools) => readonly AgentDriver[]
  /** Where the terminals are that a driver among these hosts; without it there are none to look at. */
  readonly hosted?: Terminals
  readonly recheck?: BrokerDeps['recheck']
  readonly whatChanged?: BrokerDeps['whatChanged']
  readonly scratchFolder?: Context['scratchFolder']
  readonly askTimeoutMs?: number
  /** What runs in terminals of this machine, and what Claude Code keeps of its conversations; neither unless given. */
  readonly terminals?: TerminalsOptions
}

export interface TerminalsOptions {
  readonly attached: AttachedAgents
  /** Claude Code's `projects` folder. */
  readonly projects: string
}

export interface DriverTools {
  readonly attachments: Attachments
  /** Whether a session with this life of its agent, `<session id>.<epoch>`, is not over. */
  readonly isLive: (key: string) => boolean
  /** Whether another session than this one speaks for the same conversation. */
  readonly isElsewhere: (vendorSessionId: string, sessionId: string) => boolean
}

export interface Gateway {
  /** For programs in this process: tests, benchmarks, embedding. */
  readonly context: Context
  readonly routes: readonly Route[]
  /** Serves the API and the web app, and resolves with the address. Once; without it the gateway serves this process alone. */
  listen(options: ListenOptions): Promise<string>
  /** Takes up the agents that an earlier gateway left. Once, and after `listen` where there is one. */
  resume(): void
  /** A fresh single-use link for a browser. */
  loginLink(): string
  /** Stops taking calls, finishes commits, leaves agents to the host. */
  close(): Promise<void>
}

/** The one place where things are wired. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { store, log, clock = systemClock } = options
  const newId = idMaker({ now: clock.now, randomBytes: pooledRandomBytes() })
  const warn = (message: string, details: Record<string, unknown>) => log.warn(message, details)
  const ledger = createLedger({ store, clock, warn })
  await ledger.load()
  const lost = options.lost && { lost: options.lost }
  const lastPosition = createLastPosition({ dataDir: options.dataDir, ledger, store, clock, warn, ...lost })
  const isOlder = await lastPosition.isLost()
  if (isOlder) await endRulesOfOlderRecord({ ledger, newId, log })
  await lastPosition.keep()
  const broker = createBroker({
    ledger,
    store,
    clock,
    newId,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    recheck: async (ask, answer) => {
      // After a restart only the agent that was found again can say whether the ask still stands.
      await sessions.whenReached(ask.sessionId)
      return (await options.terminals?.attached.recheck(ask)) ?? (await options.recheck?.(ask, answer))
    },
    ...(options.whatChanged && { whatChanged: options.whatChanged }),
  })
  // Before anybody can call: until then an open ask would be one that there is not.
  broker.resume()
  const attachments = createAttachments({ folder: join(options.dataDir, 'attachments'), records: store.records, newId })
  const fanOut = createFanOut({ now: () => performance.now(), seq: ledger.seq() })
  const partialTexts = createPartialTexts()
  const recordCheck = createRecordCheck({ store, clock, log, isOlder, ...lost })
  const lag = createEventLoopLag(clock)
  const metrics = createMetrics({ ledger, clients: () => fanOut.size(), record: recordCheck.state, lagMs: lag.ms })
  const isLive = (key: string) =>
    [...ledger.views().values()].some(({ session }) => `${session.id}.${session.epoch}` === key)
  const isElsewhere = (vendorSessionId: string, sessionId: string) =>
    [...ledger.views().values()].some(
      ({ session }) => session.vendorSessionId === vendorSessionId && session.id !== sessionId,
    )
  const given = options.drivers({ attachments, isLive, isElsewhere })
  const all = options.terminals ? [...given, options.terminals.attached.driver] : given
  const drivers = new Map(all.map((driver) => [driver.agent, driver]))
  const publishLive = (event: LiveEvent) => {
    partialTexts.onLive(event)
    fanOut.publishLive(event)
  }
  const sessions = createSessions({
    ledger,
    broker,
    store,
    clock,
    newId,
    newUuid: randomUUID,
    drivers,
    publishLive,
    warn,
    idleMs: options.idleMs,
  })
  ledger.subscribe((stored) => {
    partialTexts.onStored(stored)
    fanOut.publish(stored)
    metrics.onStored(stored)
    for (const { event } of stored) {
      if (event.type === 'session-ended' && event.error) {
        const { sessionId, reason, error } = event
        log.warn('a session has ended with an error', { sessionId, reason, error: error.message, fault: error.code })
      }
      if (event.type === 'alarm')
        log.error('alarm: what ran is not what was allowed', { sessionId: event.sessionId, alarm: event.code })
    }
  })
  const devices = await createDevices({
    records: store.records,
    clock,
    newId,
    ...(options.token !== undefined && { token: options.token }),
  })

  const connections = createConnections(options.limits)
  devices.onRevoked((id) => connections.closeAll(id))
  const trustedFolders = createTrustedFolders(store.records)
  watchTrust({ ledger, trustedFolders, newId, log })
  resumeClosed({ ledger, sessions, store, trustedFolders, log })
  let publicUrl = ''
  let localUrl = ''
  const context: Context = {
    clock,
    log,
    store,
    ledger,
    broker,
    sessions,
    devices,
    attachments,
    trustedFolders,
    fanOut,
    partialTexts,
    metrics,
    recordCheck,
    lag,
    dataDir: options.dataDir,
    // What runs in a terminal is named when it is started, and that is another call.
    agents: [...drivers.keys()].filter((agent) => sessions.knows(agent) && agent !== TERMINAL_AGENT),
    ...(options.askTimeoutMs !== undefined && { askTimeoutMs: options.askTimeoutMs }),
    scratchFolder: options.scratchFolder ?? (async () => undefined),
    publicUrl: () => publicUrl,
    connections,
    unread: createUnread(),
    ...(options.terminals && { conversations: createConversations(options.terminals.projects) }),
  }
  const access = await createTerminalAccess({ dataDir: options.dataDir, records: store.records, devices })
  options.terminals?.attached.connect(attachedSessions(context))

  const dialects = createDialects(context, options.dialects)
  const sockets = [
    streamSocket(context),
    ...(options.hosted ? [ptySocket(context, options.hosted)] : []),
    ...dialects.flatMap((dialect) => dialect.sockets),
  ]
  const tickets = createTickets({ clock, devices })
  const proofs = createPageProofs(store.records)
  const routes: Route[] = [
    ...sessionRoutes(context, dialects.find(({ messages }) => messages)?.messages),
    ...askRoutes(context),
    ...folderRoutes(context),
    ...accountRoutes(context, tickets, proofs),
    ...attachmentRoutes(context),
    ...(options.hosted ? ptyRoutes(context, options.hosted) : []),
    ...systemRoutes(context, () => describeApi(routes, VERSION)),
    ...(options.terminals ? [accessRoute(context, access), ...transcriptRoutes(options.terminals.projects)] : []),
    ...dialects.flatMap((dialect) => dialect.routes),
  ]
  const allowedHosts = new Set<string>()
  const allowedOrigins = new Set<string>()
  const pageOrigins = new Map<string, string>()
  let server: Server | undefined
  let hookServer: Server | undefined

  async function listen(at: ListenOptions): Promise<string> {
    if (server) throw new Error('the gateway listens already')
    server = createListener({
      context,
      routes,
      sockets,
      webApp: await loadWebApp(at.webFolder),
      guard: {
        allowedHosts,
        allowedOrigins,
        pageOrigins,
        authenticate(credential) {
          const holder = 'pageSecret' in credential ? proofs.holderOf(credential.pageSecret) : undefined
          return holder === undefined ? devices.authenticate(credential) : devices.use(holder)
        },
        tokenOrigins: new Set(at.allowOrigins),
        redeemTicket: tickets.redeem,
        explainCookie: explainOldCookie(devices),
      },
      ...(at.tls && { tls: at.tls }),
      ...(at.patience && { patience: at.patience }),
    })
    if (at.holdsProcess === false) letGo(server)
    const bound = await listenOn(server, at.host, at.port).catch((error: unknown) => {
      server = undefined
      throw error
    })
    const addresses = addressesOf({ ...at, ...bound, hasTls: at.tls !== undefined })
    localUrl = addresses.localUrl
    publicUrl = at.publicUrl ?? localUrl
    for (const host of addresses.hosts) allowedHosts.add(host)
    for (const origin of addresses.origins) allowedOrigins.add(origin)
    for (const [host, origin] of addresses.pageOrigins) pageOrigins.set(host, origin)
    if (options.terminals) {
      await access.prepare()
      const hookRoutes = [hookRoute(context, options.terminals.attached, access), hookCheckRoute(access)]
      hookServer = await listenForHooks(context, hookRoutes)
      if (at.holdsProcess === false) letGo(hookServer)
    }
    return localUrl
  }

  async function close() {
    const servers = [server, hookServer].filter((one) => one !== undefined)
    const closed = servers.map((one) => new Promise((resolve) => one.close(resolve)))
    for (const socket of sockets) socket.server.close()
    fanOut.close()
    for (const one of servers) one.closeIdleConnections()
    recordCheck.close()
    lag.close()
    await sessions.close()
    options.terminals?.attached.close()
    await ledger.close()
    await lastPosition.close()
    broker.close()
    await devices.close()
    setTimeout(() => {
      for (const one of servers) one.closeAllConnections()
    }, 500).unref()
    await Promise.all(closed)
  }

  return {
    context,
    routes,
    listen,
    resume() {
      sessions.reattach()
      recordCheck.start()
    },
    loginLink: () => loginLink(localUrl, devices.newCode({ role: 'owner' }).code),
    close,
  }
}

function listenOn(server: Server, host: string, port: number): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** A process that has nothing else to do does not stay for it. */
function letGo(server: Server): void {
  server.unref()
  for (const event of ['connection', 'secureConnection']) server.on(event, (socket: Socket) => socket.unref())
}
