import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** Bundles the forms server into `dir`, for tests that run from source; returns how to start it. */
export async function bundleFormsServer(dir: string): Promise<{ command: string; args: string[] }> {
  const file = join(dir, 'forms-server.mjs')
  await build({
    input: fileURLToPath(new URL('../../demo-model/src/forms-server-main.ts', import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
    output: { file, format: 'esm', codeSplitting: false },
  })
  return { command: process.execPath, args: [file] }
}
