import { Button } from '@holdpoint/react/button'
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Notice } from './notice.tsx'
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
  return (
    <Notice
      tone="deny"
      role="alert"
      action={
        <Button icon={RotateCw} onClick={again}>
          Try again
        </Button>
      }
    >
      {remote.message}
    </Notice>
  )
}
