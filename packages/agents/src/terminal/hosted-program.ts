import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { MARK_OSC } from './screen-keeper.ts'

export interface HostedProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cols: number
  readonly rows: number
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Stays in the terminal after the program: when the first process of a terminal ends, the system throws away what has
 * not been read of its output. So the end is told in the output itself, and this waits to be ended. Signals of the
 * keyboard are the program's to act on.
 */
const WRAPPER = `mark=$1
shift
trap : INT QUIT
"$@"
code=$?
trap '' INT QUIT TTOU
printf '\\033]${MARK_OSC};%s;%d\\007' "$mark" "$code"
exec sleep 3600`

/** Characters typed that the program has not read. */
const MAX_UNREAD_INPUT = 1024 * 1024

/** A program in a terminal of its own. */
export function startHostedProgram(options: HostedProgramOptions) {
  const mark = randomBytes(16).toString('hex')
  const pty: IPty = spawn('/bin/sh', ['-c', WRAPPER, 'holdpoint', mark, options.command, ...options.args], {
    cols: options.cols,
    rows: options.rows,
    cwd: options.cwd,
    env: { ...options.env },
    name: options.env.TERM ?? 'xterm-256color',
  })
  // Not part of the interface, and the only way to know what the program leaves unread.
  const { _socket: socket } = pty as unknown as { _socket?: { writableLength?: number } }

  return {
    pid: pty.pid,
    /** The name of the program that has the terminal: this one, or what it has started in it. */
    get foreground() {
      return basename(pty.process)
    },
    onData: (listener: (data: string) => void) => void pty.onData(listener),
    /** The wrapper is gone, which nobody but a killer can have brought about. */
    onGone: (listener: (code: number) => void) =>
      void pty.onExit(({ exitCode, signal }) => listener(signal ? 128 + signal : exitCode)),
    /** The exit code in a mark, if it is this program's own. */
    exitCodeIn(data: string): number | undefined {
      const [whose, code] = data.split(';')
      return whose === mark && code !== undefined && /^\d{1,3}$/.test(code) ? Number(code) : undefined
    },
    /** Says whether there was room for it. */
    write(data: string): boolean {
      if ((socket?.writableLength ?? 0) + data.length > MAX_UNREAD_INPUT) return false
      pty.write(data)
      return true
    },
    resize: (cols: number, rows: number) => pty.resize(cols, rows),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    hangUp: () => pty.kill('SIGHUP'),
    kill: () => pty.kill('SIGKILL'),
  }
}
export type HostedProgram = ReturnType<typeof startHostedProgram>
