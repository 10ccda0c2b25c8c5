import type { LinkState } from '@holdpoint/client/gateway-client'
import { useGateway } from './use-gateway.tsx'

export interface Link {
  readonly state: LinkState
  /** When the link left `live`, while it is `stale`. */
  readonly staleSince?: number
  /** Something else answers at the gateway's address. */
  readonly notTheGateway?: true
}

export function useLink(): Link {
  return useGateway(({ link, staleSince, notTheGateway }) => ({
    state: link,
    ...(staleSince !== undefined && { staleSince }),
    ...(notTheGateway && { notTheGateway }),
  }))
}
