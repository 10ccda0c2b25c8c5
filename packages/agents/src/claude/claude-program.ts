import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { claudeOnPath } from './claude-on-path.ts'
import { CLAUDE_VERSION, installSdk, SDK_VERSION, sdkFile } from './install-sdk.ts'

export type Sdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query'>

export interface ClaudeProgram {
  readonly sdk: Sdk
  /** A `claude` to run; left out, the SDK runs the one that came with it. */
  readonly executable?: string
}

export interface ClaudeProgramDeps {
  /** Where to keep what has to be downloaded. */
  readonly folder: string
  /** The person's own choice of a `claude`. */
  readonly executable?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly info: (message: string, details: Record<string, unknown>) => void
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
    const chosen = deps.executable === undefined ? {} : { executable: deps.executable }
    const beside = await (deps.importSdk ?? importBeside)().catch(ifMissing)
    if (beside) return { sdk: beside, ...chosen }

    const executable = deps.executable ?? (await claudeOnPath(deps.environment, CLAUDE_VERSION))
    const withClaude = executable === undefined
    const folder = join(deps.folder, `${SDK_VERSION}${withClaude ? '' : '-bare'}`)
    if (!(await exists(sdkFile(folder)))) await install(folder, withClaude)
    const sdk = (await import(pathToFileURL(sdkFile(folder)).href)) as Sdk
    return { sdk, ...(executable !== undefined && { executable }) }
  }

  async function install(folder: string, withClaude: boolean) {
    const size = withClaude ? '170 MB to download, 350 MB on disk' : '5 MB'
    const started = performance.now()
    const elapsed = () => Math.round((performance.now() - started) / 1000)
    deps.info('downloading the Claude Agent SDK with npm', { version: SDK_VERSION, size, folder })
    tell(`Downloading ${withClaude ? 'Claude Code' : 'the Claude Agent SDK'} (${size}). This happens once.`)
    const progress = setInterval(
      () => deps.info('still downloading the Claude Agent SDK', { seconds: elapsed() }),
      PROGRESS_MS,
    )
    try {
      const { environment, nodeFolder = dirname(process.execPath) } = deps
      await installSdk({ folder, withClaude, environment, nodeFolder, signal: closed.signal })
      deps.info('the Claude Agent SDK is installed', { seconds: elapsed() })
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
