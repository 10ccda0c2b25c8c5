import type { GatewayClient } from '@holdpoint/client/gateway-client'
import { HoldpointProvider } from '@holdpoint/react/holdpoint-provider'
import { useLink } from '@holdpoint/react/use-link'
import { useEffect, useState } from 'react'
import { loggedOutReason } from './logged-out-reason.ts'
import { rememberLogin } from './login-memory.ts'
import { MeProvider } from './me.tsx'
import { LoggedOutPage } from './pages/logged-out-page.tsx'
import { forgetDrafts } from './session/draft.ts'
import { Shell } from './shell/shell.tsx'

export interface AppProps {
  readonly client: GatewayClient
  /** Why the login link that was opened did not work. */
  readonly loginFailure?: string | undefined
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
  const { state } = useLink()
  const isOutside = state === 'logged-out'
  const [reason, setReason] = useState<string>()
  useEffect(() => {
    if (state === 'live') rememberLogin()
  }, [state])
  useEffect(() => {
    if (!isOutside) return
    forgetDrafts()
    let current = true
    void loggedOutReason(client).then((words) => {
      if (current) setReason(words)
    })
    return () => {
      current = false
      setReason(undefined)
    }
  }, [client, isOutside])
  if (isOutside) return <LoggedOutPage failure={loginFailure ?? reason} onRetry={() => client.reconnect()} />
  return (
    <MeProvider>
      <Shell />
    </MeProvider>
  )
}
