import { spawn } from 'node:child_process'
import { access, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { DriverError } from '@holdpoint/core/driver'
import { machineFolders, programIn } from './machine-programs.ts'
import { SDK_PACKAGES } from './sdk-packages.ts'

/** The versions that this gateway was made for, and that its knowledge of Claude Code was measured on. */
export const SDK_VERSION = '0.3.325'
export const CLAUDE_VERSION = '2.1.325'

const SDK = '@anthropic-ai/claude-agent-sdk'
const TAIL = 2000

export interface InstallOptions {
  /** Where it ends up. Present with its `sdkFile` means complete. */
  readonly folder: string
  /** With Claude Code itself, or only what talks to one that is there already. */
  readonly withClaude: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the Node that runs us: its own npm is the one to trust. */
  readonly nodeFolder: string
  /** Aborting ends npm and leaves nothing behind that looks installed. */
  readonly signal: AbortSignal
}

/**
 * Has npm install the SDK in a folder of its own. Nobody's projects and settings are touched, and what a registry or a
 * proxy hands out instead of the known bytes is refused.
 */
export async function installSdk({ folder, withClaude, ...run }: InstallOptions): Promise<void> {
  const aside = `${folder}.next`
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const manifest = { private: true, dependencies: { [SDK]: SDK_VERSION } }
  await writeFile(join(aside, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(aside, 'package-lock.json'), JSON.stringify(lockOf(manifest)))
  const args = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    // Its peers are for types alone.
    '--legacy-peer-deps',
    ...(withClaude ? [] : ['--omit=optional']),
  ]
  await runNpm(args, { cwd: aside, ...run })
  await access(sdkFile(aside)).catch((error: unknown) => {
    throw missing('npm did not install the SDK', error)
  })
  // npm says nothing when it leaves an optional package out, because its bytes are wrong, say.
  if (withClaude && !(await hasProgram(aside))) throw missing('npm did not install Claude Code for this machine')
  // Whatever is in its place is not complete, and would be in the way.
  await rm(folder, { recursive: true, force: true })
  await rename(aside, folder)
}

export function sdkFile(folder: string): string {
  return join(folder, 'node_modules', ...SDK.split('/'), 'sdk.mjs')
}

async function hasProgram(folder: string): Promise<boolean> {
  const [scope = '', name] = SDK.split('/')
  return (await readdir(join(folder, 'node_modules', scope))).some((entry) => entry.startsWith(`${name}-`))
}

function lockOf(manifest: object) {
  const programs = SDK_PACKAGES.filter(({ name }) => name !== SDK)
  const packages = SDK_PACKAGES.map(({ name, ...rest }) => [
    `node_modules/${name}`,
    name === SDK
      ? {
          version: SDK_VERSION,
          ...rest,
          optionalDependencies: Object.fromEntries(programs.map((program) => [program.name, SDK_VERSION])),
        }
      : { version: SDK_VERSION, ...rest, optional: true },
  ])
  return { lockfileVersion: 3, requires: true, packages: { '': manifest, ...Object.fromEntries(packages) } }
}

async function runNpm(
  args: readonly string[],
  { cwd, environment, nodeFolder, signal }: { cwd: string } & Omit<InstallOptions, 'folder' | 'withClaude'>,
): Promise<void> {
  // npm looks for its node on the path too.
  const folders = [nodeFolder, ...machineFolders(environment)]
  const npm = await programIn(folders, process.platform === 'win32' ? 'npm.cmd' : 'npm')
  if (npm === undefined) throw missing('npm was not found')
  const child = spawn(npm, args, {
    cwd,
    env: { ...npmEnvironment(environment), PATH: folders.join(delimiter) },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-TAIL)
  })
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) => reject(missing(error.message, error)))
    child.on('close', (code) => (code === 0 ? resolve() : reject(missing(said.trim() || `npm ended with ${code}`))))
  })
}

function missing(why: string, cause?: unknown): DriverError {
  return new DriverError(
    'agent-missing',
    `Claude Code could not be downloaded (${why}). Check the network, or install it yourself and set HOLDPOINT_CLAUDE to the path of your claude.`,
    { cause },
  )
}

/** We may run under an npm ourselves, whose own options (its folder, say) are not meant for this one. */
function npmEnvironment(environment: InstallOptions['environment']): Record<string, string | undefined> {
  const inherited = /^npm_(?:package|lifecycle)_|^npm_config_(?:package|call|prefix|local_prefix|global|workspace.*)$/i
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !inherited.test(name)))
}
