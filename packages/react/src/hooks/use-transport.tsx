import type { Transport } from '@holdpoint/client/transport'
import { useContext } from 'react'
import { TransportContext } from '../providers/transport-provider.tsx'

export function useTransport(): Transport {
  const transport = useContext(TransportContext)
  if (!transport) {
    throw new Error(
      'there is no <TransportProvider>, and no <HoldpointProvider> with a transport, above this component',
    )
  }
  return transport
}
