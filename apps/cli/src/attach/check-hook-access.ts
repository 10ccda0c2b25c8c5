import { request } from 'node:http'
import { HOOK_HOST, HOOK_PATH, hookSocket, readToken } from '@holdpoint/agents/claude/hooks/hook-access'

/** Whether a gateway receives the hooks of this machine's terminals, refuses their credential, or serves no hooks. */
export type HookAccess = 'heard' | 'refused' | 'absent'

/** Aborting means that there was no reply in time. */
export function checkHookAccess(dataDir: string, signal: AbortSignal): Promise<HookAccess> {
  const token = readToken(dataDir)
  if (token === undefined) return Promise.resolve('absent')
  return new Promise((resolve) => {
    const asking = request({
      socketPath: hookSocket(dataDir),
      path: HOOK_PATH,
      agent: false,
      headers: { host: HOOK_HOST, authorization: `Bearer ${token}` },
      signal,
    })
    asking.on('error', () => resolve('absent'))
    asking.on('response', ({ statusCode }) => {
      resolve(statusCode === 401 || statusCode === 403 ? 'refused' : 'heard')
      asking.destroy()
    })
    asking.end()
  })
}
