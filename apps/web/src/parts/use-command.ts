import type { Result } from '@holdpoint/client/gateway-client'
import { useState } from 'react'
import { settle } from './use-remote.ts'

/** One thing at a time: whether it is under way, and why the last one was refused. */
export function useCommand() {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  async function run(promise: Promise<Result<unknown>>): Promise<boolean> {
    setBusy(true)
    setFailure(undefined)
    const result = await settle(promise)
    setBusy(false)
    if (!result.ok) setFailure(result.message)
    return result.ok
  }
  return { run, busy, failure, clear: () => setFailure(undefined) }
}
export type Command = ReturnType<typeof useCommand>
