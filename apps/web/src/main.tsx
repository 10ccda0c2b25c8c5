import './app.css'
import { onWake } from '@holdpoint/client/browser-signals'
import { createGatewayClient } from '@holdpoint/client/create-gateway-client'
import { createHttpTransport } from '@holdpoint/client/http-transport'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { login } from './login.ts'
import { startAnewWithLoginCode, takeLoginCode } from './login-code.ts'
import { LoggedOutPage } from './pages/logged-out-page.tsx'
import { applyTheme } from './settings/preferences.ts'

applyTheme()
// Before anything else can read the address: the code must not stay in it.
const code = takeLoginCode()
startAnewWithLoginCode()
const element = document.getElementById('root')
if (element) {
  const root = createRoot(element)
  const transport = createHttpTransport()
  if (code !== undefined) root.render(<LoggedOutPage loggingIn />)
  const loginFailure = code === undefined ? undefined : await login(transport, code)
  root.render(<App client={createGatewayClient({ transport, onWake })} loginFailure={loginFailure} />)
}
