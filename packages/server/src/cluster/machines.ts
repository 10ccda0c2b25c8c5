import type { Cluster, ClusterNode } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { NodeCall } from './node-call.ts'

/** How long a call may take at most where its caller does not say: a person waits for it. */
const CALL_MS = 30_000

export type CallResult =
  | { readonly ok: true; readonly reply: unknown }
  /** Nothing was done. */
  | { readonly ok: false; readonly why: 'unreachable' }
  /** It may have been done. */
  | { readonly ok: false; readonly why: 'unknown' }

/** The machines of the gateways that share the log, and which of them a session belongs to. */
export interface Machines {
  /** This one; undefined where there is one gateway. */
  readonly node: NodeId | undefined
  isOurs(session: Session): boolean
  /** The machine of sessions that name none; undefined where there is no such session, or one gateway. */
  readonly home: NodeId | undefined
  /** The other machine that a session's agent is on; undefined if it is this one. */
  elsewhere(session: Session | undefined): NodeId | undefined
  /** The machine that a person has named, if it is another one. */
  other(node: NodeId | undefined): NodeId | undefined
  /** Whether this machine is to take no new sessions. Those that it had can be resumed: no other machine has their folders. */
  isDraining(): boolean
  /** The same machine, unless it cannot be reached: for what this one does in its place then. */
  ifReachable(node: NodeId | undefined): NodeId | undefined
  /** Undefined where there is one gateway. */
  list(): readonly ClusterNode[] | undefined
  /** Has the gateway of another machine do something. Aborting stops the waiting; what was taken is still done. */
  call(to: NodeId, call: NodeCall, options?: { readonly signal?: AbortSignal }): Promise<CallResult>
}

export function createMachines(cluster: Cluster | undefined): Machines {
  const nodeOf = (session: Session) => session.node ?? cluster?.home
  const isOurs = (session: Session) => !cluster || nodeOf(session) === cluster.node
  return {
    node: cluster?.node,
    home: cluster?.home,
    isOurs,
    elsewhere: (session) => (session && !isOurs(session) ? nodeOf(session) : undefined),
    other: (node) => (cluster && node !== cluster.node ? node : undefined),
    isDraining: () => cluster?.nodes().some(({ id, isDraining }) => id === cluster.node && isDraining) ?? false,
    ifReachable: (node) => cluster?.nodes().find(({ id, isReachable }) => id === node && isReachable)?.id,
    list: () => cluster?.nodes(),
    async call(to, call, { signal } = {}) {
      if (!cluster) return { ok: false, why: 'unreachable' }
      const limit = AbortSignal.any([AbortSignal.timeout(CALL_MS), ...(signal ? [signal] : [])])
      const result = await cluster.call(to, JSON.stringify(call), { signal: limit })
      return result.ok ? { ok: true, reply: JSON.parse(result.reply) } : result
    },
  }
}
