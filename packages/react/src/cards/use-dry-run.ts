import type { PolicyCalls } from '@holdpoint/client/gateway-client'
import type { DryRunResult, NewRule } from '@holdpoint/schema/endpoints/policy'
import type { RuleId } from '@holdpoint/schema/id'
import { useEffect, useState } from 'react'

/** After the last key. */
const PAUSE_MS = 300

/** `refused`: it is no rule yet, and whoever checks it says why. `unknown`: the gateway did not say. */
export type DryRunState = DryRunResult | 'running' | 'refused' | 'unknown'

/** What a rule would have done to past asks, asked once somebody has stopped typing. Another rule calls the last one off. */
export function useDryRun(
  dryRun: PolicyCalls['dryRun'],
  rule: NewRule | undefined,
  id: RuleId | undefined,
): DryRunState | undefined {
  const wanted = rule && JSON.stringify({ rule, ...(id && { id }) })
  const [done, setDone] = useState<{ readonly of: string; readonly state: DryRunState }>()
  useEffect(() => {
    if (wanted === undefined) return
    const leaving = new AbortController()
    const say = (state: DryRunState) => !leaving.signal.aborted && setDone({ of: wanted, state })
    const timer = setTimeout(() => {
      dryRun(JSON.parse(wanted), leaving.signal).then(
        (result) => say(result.ok ? result.value : result.code === 'invalid_request' ? 'refused' : 'unknown'),
        () => say('unknown'),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [dryRun, wanted])
  if (wanted === undefined) return undefined
  return done?.of === wanted ? done.state : 'running'
}
