import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createLocalCallers } from './auth/local-callers.ts'
import { explainOldCookie } from './auth/old-cookie.ts'
import type { Services } from './services/services.ts'
import { addressesOf } from './system/addresses.ts'
import { listenForHooks } from './terminals/hook-socket.ts'
import { createListener, type Listener, type Patience } from './transport/listener.ts'
import type { Route } from './transport/route.ts'
import type { SocketRoute } from './transport/socket-route.ts'
import { loadWebApp } from './transport/web-app.ts'

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

/** What is served. */
interface Served {
  readonly routes: readonly Route[]
  readonly sockets: readonly SocketRoute[]
  /** For the hooks of this machine's terminals, on a socket of their own; left out where there are none. */
  readonly hookRoutes?: readonly Route[]
}

interface GatewayServer {
  /** Listens on the port and, for hooks, in the data folder. Resolves with the address. Once. */
  listen(at: ListenOptions, served: Served): Promise<string>
  /** Address of the port itself; empty before it listens. */
  localUrl(): string
  /** Address that links carry. */
  publicUrl(): string
  /** Frees the port, also where `listen` is still under way. */
  close(): Promise<void>
}

type Deps = Pick<
  Services,
  'log' | 'devices' | 'machines' | 'tickets' | 'pageProofs' | 'connections' | 'unread' | 'received' | 'terminalAccess'
> & {
  readonly dataDir: string
  /** Aborts when the gateway begins to close. */
  readonly closing: AbortSignal
}

/** What a gateway listens with: its port, and the socket for hooks. */
export function createGatewayServer(deps: Deps): GatewayServer {
  const { log, devices, machines, tickets, pageProofs, connections, unread, received, closing } = deps
  const allowedHosts = new Set<string>()
  const allowedOrigins = new Set<string>()
  const pageOrigins = new Map<string, string>()
  let publicUrl = ''
  let localUrl = ''
  let listening: Promise<string> | undefined
  let listener: Listener | undefined
  let hookListener: Listener | undefined

  async function listen(at: ListenOptions, served: Served): Promise<string> {
    if (listening) throw new Error('the gateway is already listening')
    listening = bind(at, served)
    try {
      return await listening
    } catch (error) {
      await freePort()
      listening = undefined
      throw error
    }
  }

  async function bind(at: ListenOptions, { routes, sockets, hookRoutes }: Served): Promise<string> {
    const webApp = await loadWebApp(at.webFolder)
    refuseClosed()
    listener = createListener({
      devices,
      connections,
      unread,
      received,
      log,
      routes,
      machines,
      sockets,
      webApp,
      guard: {
        closing,
        allowedHosts,
        allowedOrigins,
        pageOrigins,
        authenticate(credential) {
          const holder = 'pageSecret' in credential ? pageProofs.holderOf(credential.pageSecret) : undefined
          return holder === undefined ? devices.authenticate(credential) : devices.use(holder)
        },
        tokenOrigins: new Set(at.allowOrigins),
        redeemTicket: tickets.redeem,
        explainCookie: explainOldCookie(devices),
      },
      ...(at.tls ? { tls: at.tls } : { isOtherUser: otherUsers(at.publicUrl) }),
      ...(at.patience && { patience: at.patience }),
    })
    if (at.holdsProcess === false) letGo(listener.server)
    const bound = await listenOn(listener.server, at.host, at.port)
    const addresses = addressesOf({ ...at, ...bound, hasTls: at.tls !== undefined })
    localUrl = addresses.localUrl
    publicUrl = at.publicUrl ?? localUrl
    for (const host of addresses.hosts) allowedHosts.add(host)
    for (const origin of addresses.origins) allowedOrigins.add(origin)
    for (const [host, origin] of addresses.pageOrigins) pageOrigins.set(host, origin)
    if (hookRoutes) {
      await deps.terminalAccess.prepare()
      hookListener = await listenForHooks(deps, hookRoutes)
      if (at.holdsProcess === false) letGo(hookListener.server)
    }
    refuseClosed()
    return localUrl
  }

  function refuseClosed() {
    if (closing.aborted) throw new Error('the gateway is closed')
  }

  async function freePort() {
    await Promise.all([listener?.close(), hookListener?.close()])
    listener = undefined
    hookListener = undefined
  }

  return {
    listen,
    localUrl: () => localUrl,
    publicUrl: () => publicUrl,
    async close() {
      // Whoever is about to listen would have the port after us.
      await listening?.catch(() => {})
      await freePort()
    },
  }
}

/**
 * Remembers what was found for as long as the connection lasts. A proxy in front may be another user's: it calls by the
 * public name, which gives nothing that is meant for pages of the local address.
 */
function otherUsers(publicUrl: string | undefined) {
  const callers = createLocalCallers({ uid: process.geteuid?.() })
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  const found = new WeakMap<Socket, Promise<boolean>>()
  return (socket: Socket, host: string | undefined): Promise<boolean> | false => {
    if (publicHost !== undefined && host?.toLowerCase() === publicHost) return false
    const known = found.get(socket) ?? callers.isOtherUser(socket)
    found.set(socket, known)
    return known
  }
}

interface BoundAddress {
  readonly address: string
  readonly port: number
}

function listenOn(server: Server, host: string, port: number): Promise<BoundAddress> {
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
