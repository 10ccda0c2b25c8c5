import type { GatewayClient } from '@holdpoint/client/gateway-client'
import { useLink } from '@holdpoint/react/hooks/use-link'
import { HoldpointProvider } from '@holdpoint/react/providers/holdpoint-provider'
import { RuleActionsProvider } from '@holdpoint/react/providers/rule-actions'
import { useEffect, useState } from 'react'
import { LoggedOutPage } from './account/logged-out-page.tsx'
import { loggedOutReason } from './account/logged-out-reason.ts'
import type { LoginFailure } from './account/login.ts'
import { rememberLogin } from './account/login-memory.ts'
import { MeProvider } from './account/me.tsx'
import { keepWantedPath } from './account/wanted-path.ts'
import { forgetDrafts } from './parts/draft.ts'
import { useOpenRequests } from './push/use-open-requests.ts'
import { Routes } from './routes.tsx'
import { RuleActions } from './rules/rule-actions.tsx'
import { Shell } from './shell/shell.tsx'

export interface AppProps {
  readonly client: GatewayClient
  /** Why the login link that was opened did not work. */
  readonly loginFailure?: LoginFailure | undefined
}

export function App({ client, loginFailure }: AppProps) {
  return (
    <HoldpointProvider client={client}>
      <Door client={client} loginFailure={loginFailure} />
    </HoldpointProvider>
  )
}

/** Inside when the gateway knows this browser, outside when it does not. */
function Door({ client, loginFailure }: AppProps) {
  useOpenRequests()
  const { state } = useLink()
  const isOutside = state === 'logged-out'
  const [reason, setReason] = useState<string>()
  useEffect(() => {
    if (state === 'live') rememberLogin()
  }, [state])
  useEffect(() => {
    if (!isOutside) return
    forgetDrafts()
    keepWantedPath()
    let current = true
    void loggedOutReason(client).then((words) => {
      if (current) setReason(words)
    })
    return () => {
      current = false
      setReason(undefined)
    }
  }, [client, isOutside])
  if (isOutside) {
    return (
      <LoggedOutPage
        failure={loginFailure?.isSpent ? undefined : (loginFailure?.message ?? reason)}
        isLinkSpent={loginFailure?.isSpent}
        onRetry={() => client.reconnect()}
      />
    )
  }
  return (
    <MeProvider>
      <RuleActionsProvider actions={RuleActions}>
        <Shell>
          <Routes />
        </Shell>
      </RuleActionsProvider>
    </MeProvider>
  )
}
