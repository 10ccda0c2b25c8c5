import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { NodeId } from '@holdpoint/schema/id'
import type { OfferedModel } from '@holdpoint/schema/offers'
import { useEffect, useState } from 'react'
import { settle } from '../parts/use-remote.ts'

const NONE: readonly OfferedModel[] = []

/** The models that the last agent of this kind has named on the machine; none before there was one. */
export function useModels(agent: string | undefined, node?: NodeId): readonly OfferedModel[] {
  const client = useClient()
  const place = `${node ?? ''} ${agent ?? ''}`
  const [found, setFound] = useState<{ place: string; models: readonly OfferedModel[] }>()
  useEffect(() => {
    if (agent === undefined) return
    let current = true
    void settle(client.models(agent, node)).then((result) => {
      if (current && result.ok) setFound({ place, models: result.value })
    })
    return () => {
      current = false
    }
  }, [client, agent, node, place])
  return found?.place === place ? found.models : NONE
}
