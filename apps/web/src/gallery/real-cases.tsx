import { createGatewayClient } from '@holdpoint/client/create-gateway-client'
import { createHttpTransport } from '@holdpoint/client/http-transport'
import { PermissionModal } from '@holdpoint/react/chat/permission-modal'
import { usePermissions } from '@holdpoint/react/hooks/use-permissions'
import { HoldpointProvider } from '@holdpoint/react/providers/holdpoint-provider'
import { TransportProvider } from '@holdpoint/react/providers/transport-provider'
import { useState } from 'react'
import { Chat } from './chat-case.tsx'

/**
 * Components of the permission and turn-stream protocols on the gateway that serves this page, for the session of
 * `?session=`.
 */
export const REAL_CASES: readonly string[] = ['real-permissions', 'real-chat']

export function RealCaseView({ id, sessionId }: { id: string; sessionId: string }) {
  const [transport] = useState(createHttpTransport)
  const [client] = useState(() => createGatewayClient({ transport }))
  return (
    <HoldpointProvider client={client}>
      <TransportProvider transport={transport}>
        {id === 'real-chat' ? <Chat id={id} sessionId={sessionId} /> : <Permissions id={id} sessionId={sessionId} />}
      </TransportProvider>
    </HoldpointProvider>
  )
}

function Permissions({ id, sessionId }: { id: string; sessionId: string }) {
  const { pendingQueue, currentRequest, reply, dismiss, error } = usePermissions(sessionId)
  return (
    <div data-case={id} data-queue={pendingQueue.length}>
      <PermissionModal
        request={currentRequest}
        onReply={reply}
        onClose={dismiss}
        waiting={pendingQueue.length - 1}
        error={error}
      />
    </div>
  )
}
