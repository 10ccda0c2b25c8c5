import type { ReactNode } from 'react'
import { RetryNotice } from './retry-notice.tsx'
import { Skeleton } from './skeleton.tsx'
import type { Remote } from './use-remote.ts'

export interface RemoteViewProps<Value> {
  readonly remote: Remote<Value>
  again(): void
  children(value: Value): ReactNode
}

/** The three states of anything read from the gateway. */
export function RemoteView<Value>({ remote, again, children }: RemoteViewProps<Value>) {
  if (remote.state === 'loading') return <Skeleton />
  if (remote.state === 'ready') return children(remote.value)
  return <RetryNotice message={remote.message} again={again} />
}
