import type { GatewayClient, Thread, ThreadState } from '@holdpoint/client/gateway-client'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import { useMemo, useSyncExternalStore } from 'react'
import { useClient } from '../providers/holdpoint-provider.tsx'

export interface LiveThread extends ThreadState {
  loadOlder(): Promise<void>
  loadBackTo(id: ItemId): Promise<boolean>
}

/** A session's thread, held open while a component shows it. */
export function useThread(sessionId: SessionId): LiveThread {
  const client = useClient()
  const lease = useMemo(() => leaseThread(client, sessionId), [client, sessionId])
  const state = useSyncExternalStore(lease.subscribe, lease.getState, lease.getState)
  return useMemo(() => ({ ...state, loadOlder: lease.loadOlder, loadBackTo: lease.loadBackTo }), [state, lease])
}

const LOADING: ThreadState = {
  state: 'loading',
  items: [],
  asks: new Map(),
  hasOlder: false,
  loadingOlder: false,
  partial: new Map(),
}

/** Opens the thread with the first listener and lets go of it with the last: a render alone must hold nothing. */
function leaseThread(client: GatewayClient, sessionId: SessionId) {
  let thread: Thread | undefined
  let listeners = 0
  return {
    subscribe(listener: () => void) {
      thread ??= client.thread(sessionId)
      listeners += 1
      const stop = thread.subscribe(listener)
      return () => {
        stop()
        listeners -= 1
        if (listeners > 0) return
        thread?.close()
        thread = undefined
      }
    },
    getState: () => thread?.getState() ?? LOADING,
    loadOlder: async () => thread?.loadOlder(),
    loadBackTo: async (id: ItemId) => (await thread?.loadBackTo(id)) === true,
  }
}
