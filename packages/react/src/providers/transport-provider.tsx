import type { Transport } from '@holdpoint/client/transport'
import { createContext, type ReactNode } from 'react'

export const TransportContext = createContext<Transport | undefined>(undefined)

/** Gives `QuestionPrompt`, `ToolApproval` and `useTransport` below it one transport. `HoldpointProvider` has it inside. */
export function TransportProvider({ transport, children }: { transport: Transport; children: ReactNode }) {
  return <TransportContext value={transport}>{children}</TransportContext>
}
