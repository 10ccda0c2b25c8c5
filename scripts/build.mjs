// Bundles the programs into dist/: the command, the host, and what tests and benchmarks run as processes of their own.
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Large, native, or not ours to pack: loaded from node_modules when they are needed. */
const external = [/^node:/, '@anthropic-ai/claude-agent-sdk', 'node-sqlite3-wasm', 'rolldown']

const programs = [
  { input: { cli: 'apps/cli/src/main.ts' }, dir: '.' },
  { input: { host: 'packages/agents/src/host/main.ts' }, dir: '.' },
  {
    input: {
      'failing-gateway': 'packages/testing/src/failing-gateway.ts',
      'synthetic-agent': 'packages/testing/src/synthetic-agent-main.ts',
      'forms-server': 'packages/demo-model/src/forms-server-main.ts',
    },
    dir: 'testing',
  },
]

// Built aside and put in place at the end: a gateway that runs from dist/ must not find half of it gone.
const aside = join(root, `dist.next-${process.pid}`)
rmSync(aside, { recursive: true, force: true })
for (const { input, dir } of programs) {
  await build({
    cwd: root,
    input,
    external,
    platform: 'node',
    logLevel: 'warn',
    output: {
      dir: join(aside, dir),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      sourcemap: true,
    },
  })
}
chmodSync(join(aside, 'cli.js'), 0o755)
rmSync(join(root, 'dist'), { recursive: true, force: true })
renameSync(aside, join(root, 'dist'))
