// Bundles the programs into dist/: the command, the host, and what tests and benchmarks run as processes of their own.
import { chmodSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Large, native, or not ours to pack: loaded from node_modules when they are needed. */
const external = [/^node:/, '@anthropic-ai/claude-agent-sdk', 'node-sqlite3-wasm', 'rolldown']

const programs = [
  { input: { cli: 'apps/cli/src/main.ts' }, dir: 'dist' },
  { input: { host: 'packages/agents/src/host/main.ts' }, dir: 'dist' },
  {
    input: {
      'failing-gateway': 'packages/testing/src/failing-gateway.ts',
      'synthetic-agent': 'packages/testing/src/synthetic-agent-main.ts',
      'forms-server': 'packages/demo-model/src/forms-server-main.ts',
    },
    dir: 'dist/testing',
  },
]

rmSync(join(root, 'dist'), { recursive: true, force: true })
for (const { input, dir } of programs) {
  await build({
    cwd: root,
    input,
    external,
    platform: 'node',
    logLevel: 'warn',
    output: { dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', sourcemap: true },
  })
}
chmodSync(join(root, 'dist/cli.js'), 0o755)
