import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'

export interface TerminalOptions {
  readonly program: string
  readonly args?: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly cols?: number
  readonly rows?: number
}

/** A program in a terminal of its own, seen as a person sees it. For tests. */
export interface ScreenTerminal extends AsyncDisposable {
  readonly pid: number
  /** What is on the screen now, line by line, without the blanks at the ends of lines. */
  screen(): string
  /** Sends these characters as if they had been typed. */
  type(text: string): void
  /** Waits until the screen holds this. */
  waitFor(wanted: string | RegExp, deadlineMs?: number): Promise<string>
  /** Waits until the screen does not hold this any more. */
  waitForGone(wanted: string | RegExp, deadlineMs?: number): Promise<string>
  resize(cols: number, rows: number): void
  /** Settles with the exit code when the program is gone. */
  readonly exit: Promise<number>
  close(): Promise<void>
}

const DEADLINE_MS = 20_000
const LOOK_MS = 15

export async function startInTerminal(options: TerminalOptions): Promise<ScreenTerminal> {
  const { cols = 120, rows = 50 } = options
  const terminal = new headless.Terminal({ cols, rows, scrollback: 200, allowProposedApi: true })
  const child = spawn(options.program, [...(options.args ?? [])], {
    cwd: options.cwd,
    env: { ...options.env },
    cols,
    rows,
    name: 'xterm-256color',
  })
  let isGone = false
  let isOver = false
  child.onData((data) => terminal.write(data))
  // What the program asks its terminal is answered, as a real terminal does.
  terminal.onData((reply) => {
    if (!isGone) child.write(reply)
  })
  const exit = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      isGone = true
      // The last that it wrote is on the screen before it counts as over.
      terminal.write('', () => {
        isOver = true
        resolve(exitCode)
      })
    })
  })

  function screen(): string {
    const { active } = terminal.buffer
    const lines = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row))
    return lines.map((line) => line?.translateToString(true) ?? '').join('\n')
  }

  const holds = (wanted: string | RegExp, shown: string) =>
    typeof wanted === 'string' ? shown.includes(wanted) : wanted.test(shown)

  async function look(wanted: string | RegExp, isWanted: boolean, deadlineMs: number): Promise<string> {
    const end = performance.now() + deadlineMs
    for (;;) {
      const shown = screen()
      if (holds(wanted, shown) === isWanted) return shown
      if (isOver || performance.now() > end) {
        const what = isOver ? 'the program ended' : 'gave up'
        throw new Error(`${what} while ${String(wanted)} was ${isWanted ? 'not ' : ''}on the screen:\n${shown}`)
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async function close() {
    if (!isGone) child.kill('SIGKILL')
    await exit
    terminal.dispose()
  }

  return {
    pid: child.pid,
    screen,
    type: (text) => child.write(text),
    waitFor: (wanted, deadlineMs = DEADLINE_MS) => look(wanted, true, deadlineMs),
    waitForGone: (wanted, deadlineMs = DEADLINE_MS) => look(wanted, false, deadlineMs),
    resize(width, height) {
      child.resize(width, height)
      terminal.resize(width, height)
    },
    exit,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The `claude` that comes with the SDK. */
export function claudeExecutable(): string {
  const require = createRequire(import.meta.url)
  const musl = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  const suffix = process.platform === 'linux' && !musl?.header?.glibcVersionRuntime ? '-musl' : ''
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}${suffix}`
  return require.resolve(`${name}/claude`)
}

export interface ClaudeTuiOptions {
  /** As `claudeEnvironment` makes it: a home of its own and a dummy key. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly args?: readonly string[]
  readonly cols?: number
  readonly rows?: number
  /** What `$CLAUDE_CONFIG_DIR/settings.json` holds; left as it is when absent. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/**
 * The real Claude Code in a terminal, past its first-run dialogs, waiting for a prompt. Its mode is `default` unless
 * `args` say otherwise: left out, it would be another one.
 */
export async function startClaudeTui(options: ClaudeTuiOptions): Promise<ScreenTerminal> {
  const { env, cwd, args = [] } = options
  await answerFirstRun(env, cwd)
  if (options.settings) await writeFile(join(configDir(env), 'settings.json'), JSON.stringify(options.settings))
  const hasMode = args.some((argument) => argument.startsWith('--permission-mode'))
  const terminal = await startInTerminal({
    program: claudeExecutable(),
    args: [...(hasMode ? [] : ['--permission-mode', 'default']), ...args],
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
    ...(options.cols !== undefined && { cols: options.cols }),
    ...(options.rows !== undefined && { rows: options.rows }),
  })
  try {
    await terminal.waitFor('❯')
  } catch (error) {
    await terminal.close()
    throw error
  }
  return terminal
}

/** Writes a prompt and sends it. Enter comes by itself: in one piece with the text it would be part of a paste. */
export async function prompt(terminal: ScreenTerminal, text: string): Promise<void> {
  terminal.type(text)
  await terminal.waitFor(text)
  terminal.type('\r')
}

function configDir(env: Readonly<Record<string, string>>): string {
  return env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? '', '.claude')
}

/** The answers that a person gives once: theme, the key from the environment, trust in the folder. */
export async function answerFirstRun(env: Readonly<Record<string, string>>, cwd: string): Promise<void> {
  const folder = configDir(env)
  await mkdir(folder, { recursive: true })
  const path = join(folder, '.claude.json')
  const known = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, unknown>
  const projects = (known.projects ?? {}) as Record<string, unknown>
  const answered = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const config = {
    ...known,
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [(env.ANTHROPIC_API_KEY ?? '').slice(-20)], rejected: [] },
    projects: { ...projects, [cwd]: { ...(projects[cwd] as object | undefined), ...answered } },
  }
  await writeFile(path, JSON.stringify(config))
}
