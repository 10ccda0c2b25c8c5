import './app.css'
import { onWake } from '@holdpoint/client/browser-signals'
import { createGatewayClient } from '@holdpoint/client/create-gateway-client'
import { createHttpTransport } from '@holdpoint/client/http-transport'
import { createRoot } from 'react-dom/client'
import { LoggedOutPage } from './account/logged-out-page.tsx'
import { login } from './account/login.ts'
import { reloadOnLoginCode, takeLoginCode } from './account/login-code.ts'
import { App } from './app.tsx'
import { reloadWhenBuilt } from './dev-reload.ts'
import { applyTheme } from './parts/preferences.ts'

applyTheme()
if (import.meta.env.MODE === 'dev') reloadWhenBuilt()
// Before anything else can read the address: the code must not stay in it.
const code = takeLoginCode()
reloadOnLoginCode()
const element = document.getElementById('root')
if (element) {
  const root = createRoot(element)
  const transport = createHttpTransport()
  if (code !== undefined) root.render(<LoggedOutPage loggingIn />)
  const loginFailure = code === undefined ? undefined : await login(transport, code)
  root.render(<App client={createGatewayClient({ transport, onWake })} loginFailure={loginFailure} />)
}
