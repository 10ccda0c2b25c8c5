import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { StartSession } from '@holdpoint/schema/session'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { settle } from '../parts/use-remote.ts'

export interface StartFailure {
  readonly code: string
  readonly message: string
}

/** Starts a session and goes to it, or says why not. */
export function useStartSession() {
  const client = useClient()
  const [, navigate] = useLocation()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<StartFailure>()

  async function start(options: Partial<StartSession>): Promise<boolean> {
    setBusy(true)
    setFailure(undefined)
    const result = await settle(client.startSession(options))
    setBusy(false)
    if (result.ok) navigate(`/sessions/${result.value.id}`)
    else setFailure({ code: result.code, message: [result.message, ...(result.issues ?? [])].join(' ') })
    return result.ok
  }
  return { start, busy, failure }
}
