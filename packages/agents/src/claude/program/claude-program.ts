import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DriverError } from '@holdpoint/core/driver'
import type { LogFunction } from '@holdpoint/schema/log-event'
import { claudeOnPath, claudeVersion, isAtLeast } from './claude-on-path.ts'
import { CLAUDE_VERSION, installSdk, SDK_VERSION, sdkFile } from './install-sdk.ts'

export type Sdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>

export interface ClaudeProgram {
  readonly sdk: Sdk
  /** A `claude` to run; left out, the SDK runs the one that came with it. */
  readonly executable?: string
  /** What people should know of it. */
  readonly notice?: string
}

export interface ClaudeProgramDeps {
  /** Where to keep what has to be downloaded. */
  readonly folder: string
  /** The person's own choice of a `claude`. */
  readonly executable?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly info: LogFunction
  /** Says what does not hold of the gate with a Claude Code that is newer than the measured one. */
  readonly checkGate: (program: { sdk: Sdk; executable: string; version: string }) => Promise<string | undefined>
  /** Where the SDK is in the folder that we run from; there is none in a package. */
  readonly importSdk?: () => Promise<Sdk>
  /** Where the Node that runs us is, and beside it its npm. */
  readonly nodeFolder?: string
}

const PROGRESS_MS = 10_000

/**
 * Finds Claude Code when the first agent is started: the SDK that is installed beside us, else one of our own in the
 * data folder, which npm downloads once. It is not ours to pack.
 */
export function createClaudeProgram(deps: ClaudeProgramDeps) {
  const closed = new AbortController()
  let loading: Promise<ClaudeProgram> | undefined
  /** What the person who waits for it is told, while it is being downloaded. */
  let news: string | undefined
  const listeners = new Set<(text: string) => void>()

  function tell(text: string) {
    news = text
    for (const listener of listeners) listener(text)
  }

  async function find(): Promise<ClaudeProgram> {
    const version = deps.executable === undefined ? undefined : await acceptedVersion(deps.executable)
    const beside = await (deps.importSdk ?? importBeside)().catch(ifMissing)
    if (beside) return deps.executable === undefined ? { sdk: beside } : checked(beside, deps.executable, version)

    const executable = deps.executable ?? (await claudeOnPath(deps.environment, CLAUDE_VERSION))
    const withClaude = executable === undefined
    const folder = join(deps.folder, `${SDK_VERSION}${withClaude ? '' : '-bare'}`)
    if (!(await exists(sdkFile(folder)))) await install(folder, withClaude)
    const sdk = (await import(pathToFileURL(sdkFile(folder)).href)) as Sdk
    return executable === undefined ? { sdk } : checked(sdk, executable, version)
  }

  /** The gate was measured on one version. An older one may not know it: nothing of ours would be asked. */
  async function acceptedVersion(executable: string): Promise<string> {
    if (!(await exists(executable))) {
      const message = `HOLDPOINT_CLAUDE names ${executable}, but there is no program there.`
      throw new DriverError('agent-missing', message)
    }
    const version = await claudeVersion(executable, deps.environment)
    if (version !== undefined && isAtLeast(version, CLAUDE_VERSION)) return version
    const said = version === undefined ? 'does not report its version' : `is version ${version}`
    throw new DriverError(
      'agent-too-old',
      `The Claude Code at ${executable} ${said}. Holdpoint needs ${CLAUDE_VERSION} or newer: older versions were never tested to ask before they act. Update it, or unset HOLDPOINT_CLAUDE.`,
    )
  }

  /** One that is newer than the measured one has to show first that it still asks. */
  async function checked(sdk: Sdk, executable: string, known: string | undefined): Promise<ClaudeProgram> {
    const version = known ?? (await acceptedVersion(executable))
    if (version === CLAUDE_VERSION) return { sdk, executable }
    tell(`Checking that Claude Code ${version} asks before it acts.`)
    const failure = await deps.checkGate({ sdk, executable, version }).finally(() => {
      news = undefined
    })
    if (failure !== undefined) {
      throw new DriverError(
        'agent-untested',
        `Claude Code ${version} is newer than ${CLAUDE_VERSION}, the version that Holdpoint was tested with. It failed the check that it asks before it acts: ${failure}. Use ${CLAUDE_VERSION}, or update Holdpoint.`,
      )
    }
    const notice = `Claude Code ${version} is newer than ${CLAUDE_VERSION}, the version that Holdpoint was tested with. It passed a short check that it asks before it acts.`
    return { sdk, executable, notice }
  }

  async function install(folder: string, withClaude: boolean) {
    const size = withClaude ? '170 MB to download, 350 MB on disk' : '5 MB'
    const started = performance.now()
    const elapsed = () => Math.round((performance.now() - started) / 1000)
    deps.info('sdk_download_started', { version: SDK_VERSION, size, folder })
    tell(`Downloading ${withClaude ? 'Claude Code' : 'the Claude Agent SDK'} (${size}). This happens once.`)
    const progress = setInterval(() => deps.info('sdk_download_continues', { seconds: elapsed() }), PROGRESS_MS)
    try {
      const { environment, nodeFolder = dirname(process.execPath) } = deps
      await installSdk({ folder, withClaude, environment, nodeFolder, signal: closed.signal })
      deps.info('sdk_installed', { seconds: elapsed() })
      tell(`Downloaded in ${elapsed()} s.`)
    } finally {
      clearInterval(progress)
      news = undefined
    }
  }

  return {
    /** `say` hears what there is to wait for, also when somebody else made it start. */
    async load(say: (text: string) => void = () => {}): Promise<ClaudeProgram> {
      if (news !== undefined) say(news)
      listeners.add(say)
      // Not kept when it fails: the network may be back for the next session.
      loading ??= find().catch((error: unknown) => {
        loading = undefined
        throw error
      })
      try {
        return await loading
      } finally {
        listeners.delete(say)
      }
    },
    /** Ends a download that is under way; who waits for it gets an error. */
    close(): void {
      closed.abort()
    },
  }
}

async function importBeside(): Promise<Sdk> {
  return import('@anthropic-ai/claude-agent-sdk')
}

/** Not installed is no fault; installed and broken is. */
function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
