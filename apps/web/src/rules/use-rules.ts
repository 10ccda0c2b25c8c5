import type { Result } from '@holdpoint/client/gateway-client'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { ListedRule } from '@holdpoint/schema/rule'
import { useCallback } from 'react'
import { useRemote } from '../parts/use-remote.ts'

export interface Rules {
  readonly policy: PolicyState
  /** What sessions remember. */
  readonly remembered: readonly ListedRule[]
}

/** For a credential that is limited to some sessions: rules beyond those are none of its business. */
const HIDDEN: PolicyState = {
  rules: [],
  unreadable: [],
  starter: [],
  fromStarter: [],
  file: { path: '', rules: [] },
  warnings: [],
  uses: {},
}

/** All rules, read again whenever the gateway says that they have changed. With a folder, also those of its own file. */
export function useRules(folder?: string) {
  const client = useClient()
  const changes = useGateway((state) => state.ruleChanges)
  return useRemote(
    useCallback(async (): Promise<Result<Rules>> => {
      // Each number of changes is a reading of its own.
      void changes
      const [policy, remembered] = await Promise.all([client.policy.read(folder), client.rules()])
      if (!policy.ok && policy.code !== 'forbidden') return policy
      if (!remembered.ok) return remembered
      return { ok: true, value: { policy: policy.ok ? policy.value : HIDDEN, remembered: remembered.value } }
    }, [client, changes, folder]),
  )
}
