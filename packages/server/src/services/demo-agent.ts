import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Records } from '@holdpoint/core/store'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { tour } from '@holdpoint/demo-model/tour'

const COLLECTION = 'settings'
const PORT_KEY = 'demo-model-port'

/**
 * What the real Claude Code needs to run without a key: a model that plays the tour, and a config folder of its own.
 * The port is kept: an agent that outlives the gateway calls its model again at the same address.
 */
export function createDemoAgent(deps: { dataDir: string; records: Records }) {
  const folder = join(deps.dataDir, 'demo')
  const scratch = join(folder, 'scratch')
  const home = join(folder, 'home')
  const config = join(home, '.claude')
  let model: Promise<DemoModel> | undefined
  let sessions = 0

  async function open(): Promise<DemoModel> {
    const known = Number((await deps.records.get(COLLECTION, PORT_KEY)) ?? 0)
    const started = await startDemoModel({ script: tour({ wordDelayMs: 12 }), port: known }).catch(() =>
      startDemoModel({ script: tour({ wordDelayMs: 12 }) }),
    )
    if (started.port !== known) await deps.records.put(COLLECTION, PORT_KEY, started.port)
    return started
  }

  return {
    async environment(inherited: NodeJS.ProcessEnv): Promise<Record<string, string | undefined>> {
      model ??= open()
      const { url } = await model
      await mkdir(config, { recursive: true, mode: 0o700 })
      return {
        PATH: inherited.PATH,
        LANG: inherited.LANG ?? 'C.UTF-8',
        HOME: home,
        TMPDIR: home,
        CLAUDE_CONFIG_DIR: config,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'demo-key-that-opens-nothing',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_ERROR_REPORTING: '1',
      }
    },
    /** Where it may write: in the folders of its sessions, and its plans. */
    writable: [scratch, join(config, 'plans')],
    /** A folder of its own for each session, so that nothing of the user's is touched. */
    async scratchFolder(): Promise<string> {
      const path = join(scratch, `${Date.now().toString(36)}-${++sessions}`)
      await mkdir(path, { recursive: true, mode: 0o700 })
      return path
    },
    async close() {
      await (await model)?.close()
    },
  }
}
