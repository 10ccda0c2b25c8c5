import type { Device } from '@holdpoint/schema/device'
import type { Action } from '../auth/policy.ts'
import { matchSegments } from './route.ts'
import type { SocketServer } from './socket-server.ts'

/** One address that WebSockets connect to. Like a route, it names what it takes to get in. */
export interface SocketRoute {
  /** Segments that start with a colon are parameters. */
  readonly path: string
  readonly action: Action
  /** Whether there is such a place for this credential; left out, there always is. */
  readonly exists?: (params: Readonly<Record<string, string>>, device: Device) => boolean | Promise<boolean>
  readonly server: SocketServer
}

export function findSocket(routes: readonly SocketRoute[], path: string) {
  const given = path.split('/')
  for (const route of routes) {
    const params = matchSegments(route.path.split('/'), given)
    if (params) return { route, params }
  }
  return undefined
}
