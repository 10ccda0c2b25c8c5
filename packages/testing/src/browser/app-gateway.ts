import { fileURLToPath } from 'node:url'
import { startTestGateway } from '../test-gateway.ts'

export const WEB_FOLDER = fileURLToPath(new URL('../../../../dist/web', import.meta.url))

/** A test gateway with the built web app, for tests that open it in a browser. */
export const startAppGateway: typeof startTestGateway = (options) =>
  startTestGateway({ webFolder: WEB_FOLDER, ...options })
