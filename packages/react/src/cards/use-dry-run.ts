import type { PolicyCalls } from '@holdpoint/client/gateway-client'
import type { DryRunResult, NewRule } from '@holdpoint/schema/endpoints/policy'
import type { RuleId } from '@holdpoint/schema/id'
import { useEffect, useRef, useState } from 'react'

/** `unknown`: the gateway did not say. */
export type DryRunState = DryRunResult | 'running' | 'unknown'

interface DryRunGiven {
  readonly rule: NewRule | undefined
  /** The saved rule that it would replace. */
  readonly id?: RuleId | undefined
  /** Whether the gateway has found it to be a rule: whoever checks that waits until somebody has stopped typing. */
  readonly isChecked: boolean
  readonly dryRun: PolicyCalls['dryRun']
}

/** What a rule would have done to past asks. Another rule calls the last run off. */
export function useDryRun({ rule, id, isChecked, dryRun }: DryRunGiven): DryRunState | undefined {
  const wanted = rule && JSON.stringify({ rule, ...(id && { id }) })
  const [done, setDone] = useState<{ readonly of: string; readonly state: DryRunState }>()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (wanted === undefined || !isChecked || known.current === wanted) return
    const leaving = new AbortController()
    const say = (state: DryRunState) => {
      if (leaving.signal.aborted) return
      known.current = wanted
      setDone({ of: wanted, state })
    }
    dryRun(JSON.parse(wanted), leaving.signal).then(
      (result) => say(result.ok ? result.value : 'unknown'),
      () => say('unknown'),
    )
    return () => leaving.abort()
  }, [dryRun, wanted, isChecked])
  if (wanted === undefined) return undefined
  return done?.of === wanted ? done.state : 'running'
}
