// Records the transcripts anew, all or those named: `node packages/testing/src/terminal/recorded/record.mjs [NAME…]`.
// Bundles the recorder, since Node runs no TypeScript here, and plays each scenario with the real Claude Code.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const folder = dirname(fileURLToPath(import.meta.url))
const root = join(folder, '../../../../..')
const built = join(root, 'dist/recorder')

await build({
  cwd: root,
  input: { main: join(folder, 'record-main.ts') },
  external: [/^node:/, '@anthropic-ai/claude-agent-sdk', '@lydell/node-pty', '@xterm/headless'],
  platform: 'node',
  transform: { target: 'node20' },
  logLevel: 'warn',
  output: { dir: built, format: 'esm' },
})
const { status } = spawnSync(
  process.execPath,
  [join(built, 'main.js'), join(folder, 'transcripts'), ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
)
rmSync(built, { recursive: true, force: true })
process.exit(status ?? 1)
