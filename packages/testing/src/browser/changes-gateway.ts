import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHANGE_LIMITS } from '@holdpoint/server/changes/change-store'
import { createChangeThread } from '@holdpoint/server/changes/change-thread'
import { startAppGateway } from './app-gateway.ts'

const MAIN = fileURLToPath(new URL('../../../../dist/changes.js', import.meta.url))

/** A gateway with the app, and a folder whose changes it looks at, in the thread that is built. */
export async function startChangesGateway() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-changes-')))
  const changes = createChangeThread(MAIN, {
    folder: join(base, 'changes'),
    leftOut: [],
    leftIn: [],
    home: '/nowhere',
    limits: CHANGE_LIMITS,
    waitMs: 60_000,
  })
  const test = await startAppGateway({ changes })
  return {
    test,
    folder: join(base, 'project'),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await rm(base, { recursive: true, force: true })
    },
  }
}
