import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { ProcessGroup } from '../../processes/process-group.ts'
import { readAgentLine } from '../wire/control-line.ts'
import { readFirstSkills } from '../wire/first-skills.ts'
import type { AgentExit, AgentSummary, HostMessage } from '../wire/host-message.ts'
import { LineSplitter } from '../wire/line-splitter.ts'
import { type Environment, MAX_LINE_BYTES } from '../wire/protocol.ts'
import { ControlLedger } from './control-ledger.ts'
import { type KeptLine, KeptLines } from './kept-lines.ts'
import { StderrTail } from './stderr-tail.ts'

/** The gateway's side of an agent. While it is not `ready` nothing large is sent. */
export interface Outlet {
  readonly ready: boolean
  /** In the order of the calls. `soon`: some milliseconds later, together with what else is sent until then. */
  send(message: HostMessage, when?: 'now' | 'soon'): void
}

export interface AgentProcessOptions {
  readonly key: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Environment
  /** Above this many unacknowledged bytes the agent's output is not read any more, until half of it is left. */
  readonly highWaterBytes: number
}

export type Written = 'written' | 'dropped' | 'agent-gone' | 'agent-busy'

/** How long a dead agent's pipes must be silent, when something it started still holds them open. */
const QUIET_MS = 200

/** One agent: its process, what it wrote and nobody acknowledged, and what it was told. */
export class AgentProcess {
  readonly key: string
  readonly pid: number
  readonly startedAt = Date.now()
  readonly group: ProcessGroup
  /** Settles when the agent is gone and all of its output has been read. */
  readonly done: Promise<void>
  readonly #child: ChildProcessWithoutNullStreams
  readonly #highWaterBytes: number
  readonly #splitter = new LineSplitter({ maxBytes: MAX_LINE_BYTES })
  readonly #kept = new KeptLines()
  readonly #ledger = new ControlLedger()
  #skills: string[] | undefined
  readonly #stderr = new StderrTail()
  #outlet: Outlet | undefined
  #exitSent = false
  /** Lines up to this one were written before the gateway attached; open requests among them wait for its initialize. */
  #heldUpTo = 0
  #initialize: string | undefined
  #ended: { code: number | null; signal: NodeJS.Signals | null } | undefined
  #exit: AgentExit | undefined
  #lastOutput = 0
  #settleDone = (): void => {}

  private constructor(options: AgentProcessOptions, started: { child: ChildProcessWithoutNullStreams; pid: number }) {
    const { child, pid } = started
    this.key = options.key
    this.pid = pid
    this.group = new ProcessGroup(pid)
    this.#child = child
    this.#highWaterBytes = options.highWaterBytes
    this.done = new Promise((resolve) => {
      this.#settleDone = resolve
    })
    const decoder = new StringDecoder('utf8')
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#lastOutput = performance.now()
      this.#stderr.push(chunk)
      const text = decoder.write(chunk)
      if (text !== '' && this.#outlet?.ready) this.#outlet.send({ t: 'stderr', key: this.key, text })
    })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
    child.on('exit', (code, signal) => {
      this.#ended = { code, signal }
      void this.group.end({ force: false })
      this.#finishWhenQuiet()
    })
    child.on('close', () => this.#finish())
  }

  /** Rejects with the system's error when the program cannot be run. */
  static start(options: AgentProcessOptions): Promise<AgentProcess> {
    return new Promise((resolve, reject) => {
      const { command, args, cwd, env } = options
      const child = spawn(command, [...args], { cwd, env, detached: true, stdio: 'pipe' })
      child.on('error', reject)
      if (child.pid !== undefined) resolve(new AgentProcess(options, { child, pid: child.pid }))
    })
  }

  get exit(): AgentExit | undefined {
    return this.#exit
  }

  summary(): AgentSummary {
    const { key, pid, startedAt } = this
    return { key, pid, startedAt, lines: this.#kept.count, ...(this.#exit ? { exit: this.#exit } : {}) }
  }

  /** A gateway that has started the agent sees everything from the first line on. */
  follow(outlet: Outlet): void {
    this.#outlet = outlet
    this.pump()
  }

  /** A gateway that takes over. `after` is the last line it has committed. */
  attach(outlet: Outlet, options: { re: number; after: number }): void {
    this.#kept.rewind(options.after)
    this.#heldUpTo = this.#kept.count
    this.#initialize = undefined
    this.#exitSent = false
    this.#outlet = outlet
    outlet.send({
      t: 'attached',
      re: options.re,
      key: this.key,
      pid: this.pid,
      lines: this.#kept.count,
      ...this.#ledger.snapshot(),
      ...(this.#skills && { skills: this.#skills }),
      ...(this.#exit ? { exit: this.#exit } : {}),
    })
    this.#resume()
    this.pump()
  }

  detach(): void {
    this.#outlet = undefined
  }

  acknowledge(n: number): void {
    this.#kept.acknowledge(n)
    this.#resume()
  }

  /** Sends what the gateway has not been sent, as far as it can take it. */
  pump(): void {
    while (this.#outlet?.ready) {
      const line = this.#kept.take()
      if (!line) {
        this.#sendExit()
        return
      }
      this.#sendLine(line)
    }
  }

  write(line: string, settled: (written: Written) => void) {
    const { stdin } = this.#child
    if (this.#ended || !stdin.writable) return settled('agent-gone')
    if (stdin.writableLength > MAX_LINE_BYTES) return settled('agent-busy')
    const passage = this.#ledger.toAgent(line)
    if (!passage.pass) return settled('dropped')
    if (passage.initializes !== undefined) this.#initialize = passage.initializes
    stdin.write(`${passage.line ?? line}\n`, (error) => {
      if (error) return settled('agent-gone')
      settled('written')
      if (passage.answers === undefined) return
      this.#ledger.answered(passage.answers)
      this.#outlet?.send({ t: 'answered', key: this.key, requestId: passage.answers }, 'soon')
    })
  }

  #read(chunk: Buffer): void {
    this.#lastOutput = performance.now()
    for (const bytes of this.#splitter.push(chunk)) this.#keep(bytes)
    if (this.#splitter.tooLong) {
      this.#child.stdout.destroy()
      void this.group.end({ force: true })
    }
    if (this.#kept.bytes > this.#highWaterBytes) this.#child.stdout.pause()
    this.pump()
  }

  #keep(bytes: Buffer): void {
    const control = readAgentLine(bytes)
    if (control?.type === 'report') {
      // Answered here and now, gateway or not: the agent goes on, and the report is kept like any other output.
      this.#ledger.fromAgent(control, this.#kept.push(bytes, undefined))
      const response = { subtype: 'success', request_id: control.requestId, response: {} }
      this.#child.stdin.write(`${JSON.stringify({ type: 'control_response', response })}\n`)
      return
    }
    this.#skills ??= readFirstSkills(bytes)
    const line = this.#kept.push(bytes, control)
    if (control) this.#ledger.fromAgent(control, line)
  }

  #resume(): void {
    const { stdout } = this.#child
    if (!stdout.isPaused() || this.#kept.bytes > this.#highWaterBytes / 2) return
    this.#lastOutput = performance.now()
    stdout.resume()
    if (this.#ended) this.#finishWhenQuiet()
  }

  #sendLine(line: KeptLine): void {
    const message = { t: 'line', key: this.key, n: line.n, line: line.bytes.toString() } as const
    // The agent waits for an answer to its requests, and for nothing else that it says.
    this.#outlet?.send(message, line.control ? 'now' : 'soon')
    if (line.control?.type !== 'response' || line.control.requestId !== this.#initialize) return
    // Only now does the new gateway take requests; what it missed comes before anything newer.
    this.#initialize = undefined
    for (const { n, bytes } of this.#ledger.unanswered(this.#heldUpTo)) {
      this.#outlet?.send({ t: 'line', key: this.key, n, line: bytes.toString(), replay: true })
    }
    this.#heldUpTo = 0
  }

  #sendExit(): void {
    if (!this.#exit || this.#exitSent) return
    this.#exitSent = true
    this.#outlet?.send({ t: 'exit', key: this.key, ...this.#exit })
  }

  /** What the agent started may hold its pipes open; the end of the agent is told without waiting for that. */
  #finishWhenQuiet(): void {
    setTimeout(() => {
      // Timers come before reading in the event loop: what is in the pipe has been read when the immediate runs.
      setImmediate(() => {
        if (this.#exit || this.#child.stdout.isPaused()) return
        if (performance.now() - this.#lastOutput < QUIET_MS) return this.#finishWhenQuiet()
        this.#child.stdout.destroy()
        this.#child.stderr.destroy()
        this.#finish()
      })
    }, QUIET_MS)
  }

  #finish(): void {
    if (this.#exit || !this.#ended) return
    const rest = this.#splitter.rest()
    if (rest) this.#keep(rest)
    const problem = this.#splitter.tooLong ? { problem: 'line-too-long' as const } : {}
    this.#exit = { ...this.#ended, stderrTail: this.#stderr.text(), ...problem }
    this.pump()
    this.#settleDone()
  }
}
