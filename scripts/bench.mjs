// Bundles the benchmark's programs into dist/bench/ and runs them. `--only NAME` runs one case.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { findBrowser } from './browser.mjs'
import { findPostgres } from './postgres.mjs'
import { ensureBuilt } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const programs = {
  main: 'bench/main.ts',
  'gateway-main': 'bench/gateway-main.ts',
  'bare-main': 'bench/bare-main.ts',
  'client-main': 'bench/client-main.ts',
  'floor-main': 'bench/floor-main.ts',
  host: 'packages/agents/src/host/program/main.ts',
  changes: 'packages/server/src/changes/worker-main.ts',
}

// The app that the browser opens, and the programs that hold terminals and call from them.
await ensureBuilt()
rmSync(join(root, 'dist/bench'), { recursive: true, force: true })
// Each on its own: none loads what only another one needs, so that memory is that of the program alone.
for (const [name, input] of Object.entries(programs)) {
  await build({
    cwd: root,
    input: { [name]: input },
    external: [/^node:/, '@anthropic-ai/claude-agent-sdk', 'node-sqlite3-wasm', 'playwright-core'],
    platform: 'node',
    transform: { target: 'node20' },
    logLevel: 'warn',
    output: {
      dir: 'dist/bench',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name]-[hash].js`,
      sourcemap: true,
    },
  })
}
const { status } = spawnSync(process.execPath, [join(root, 'dist/bench/main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, CHROME_PATH: findBrowser() ?? '', POSTGRES_PROGRAMS: findPostgres() ?? '' },
})
process.exit(status ?? 1)
