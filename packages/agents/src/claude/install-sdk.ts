import { spawn } from 'node:child_process'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DriverError } from '@holdpoint/core/driver'

/** The versions that this gateway was made for, and that its knowledge of Claude Code was measured on. */
export const SDK_VERSION = '0.3.325'
export const CLAUDE_VERSION = '2.1.325'

const SDK = '@anthropic-ai/claude-agent-sdk'
const TAIL = 2000

export interface InstallOptions {
  /** Where it ends up. Present means complete. */
  readonly folder: string
  /** With Claude Code itself, or only what talks to one that is there already. */
  readonly withClaude: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborting ends npm and leaves nothing behind that looks installed. */
  readonly signal: AbortSignal
}

/** Has npm install the SDK in a folder of its own. Nobody's projects and settings are touched. */
export async function installSdk({ folder, withClaude, environment, signal }: InstallOptions): Promise<void> {
  const aside = `${folder}.next`
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await writeFile(join(aside, 'package.json'), JSON.stringify({ private: true, dependencies: { [SDK]: SDK_VERSION } }))
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    // Its peers are for types alone.
    '--legacy-peer-deps',
    ...(withClaude ? [] : ['--omit=optional']),
  ]
  await runNpm(args, { cwd: aside, environment, signal })
  await rename(aside, folder)
}

export function sdkFile(folder: string): string {
  return join(folder, 'node_modules', ...SDK.split('/'), 'sdk.mjs')
}

async function runNpm(
  args: readonly string[],
  { cwd, environment, signal }: { cwd: string } & Pick<InstallOptions, 'environment' | 'signal'>,
): Promise<void> {
  const child = spawn(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    cwd,
    env: npmEnvironment(environment),
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-TAIL)
  })
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string, cause?: unknown) =>
      reject(
        new DriverError(
          'agent-missing',
          `Claude Code could not be downloaded (${why}). Is the network up? Or install it yourself, and set HOLDPOINT_CLAUDE to the path of your claude.`,
          { cause },
        ),
      )
    child.on('error', (error) => fail(error.message, error))
    child.on('close', (code) => (code === 0 ? resolve() : fail(said.trim() || `npm ended with ${code}`)))
  })
}

/** We may run under an npm ourselves, whose own options (its folder, say) are not meant for this one. */
function npmEnvironment(environment: InstallOptions['environment']): Record<string, string | undefined> {
  const inherited = /^npm_(?:package|lifecycle)_|^npm_config_(?:package|call|prefix|local_prefix|global|workspace.*)$/i
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !inherited.test(name)))
}
