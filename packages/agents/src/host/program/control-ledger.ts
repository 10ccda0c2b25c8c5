import { CallFolders } from '../wire/call-folders.ts'
import { type ControlLine, parse, readControlLine, readMessageUuid } from '../wire/control-line.ts'

interface OpenRequest {
  readonly requestId: string
  readonly n: number
  readonly bytes: Buffer
}

/** What is to become of a line for the agent. */
export type Passage =
  | { readonly pass: false }
  /** `line`: what goes to the agent instead. */
  | { readonly pass: true; readonly answers?: string; readonly initializes?: string; readonly line?: string }

/**
 * Who asked what, and what was answered, over one agent's life. It never forgets an answered request or a delivered
 * message: with a capped memory a late duplicate would pass as new.
 */
export class ControlLedger {
  readonly #open = new Map<string, OpenRequest>()
  /** Answers handed to the agent's pipe that have not left it yet; their requests still count as open. */
  readonly #answering = new Set<string>()
  readonly #answered = new Set<string>()
  readonly #uuids = new Set<string>()
  readonly #folders = new CallFolders()
  /** The hooks that the agent was last given, as text. */
  #hooks: string | undefined

  fromAgent(control: ControlLine, line: { n: number; bytes: Buffer }): void {
    this.#folders.fromAgent(control)
    const { requestId } = control
    if (control.type === 'cancel') this.#open.delete(requestId)
    // An answer may cross a repeated request on its way; asking again does not make the answered one open.
    if (control.type === 'request' && !this.#answered.has(requestId)) this.#open.set(requestId, { requestId, ...line })
  }

  /** Decides on a line for the agent. When it may pass, it counts as passed: asking twice gives a refusal. */
  toAgent(line: string): Passage {
    const value = parse(line)
    const uuid = readMessageUuid(value)
    if (uuid !== undefined) {
      if (this.#uuids.has(uuid)) return { pass: false }
      this.#uuids.add(uuid)
      return { pass: true }
    }
    const control = readControlLine(value)
    if (control?.type === 'request' && control.subtype === 'initialize') {
      return { pass: true, initializes: control.requestId, ...this.#withoutKnownHooks(value) }
    }
    if (control?.type !== 'response') return { pass: true }
    if (!this.#open.has(control.requestId) || this.#answering.has(control.requestId)) return { pass: false }
    this.#answering.add(control.requestId)
    return { pass: true, answers: control.requestId }
  }

  /**
   * Claude Code fails the hooks that wait when it is given hooks again, and keeps them when it is given none. The same
   * ones are therefore left out. Others are handed on, for the waiting ones would reach the wrong functions.
   */
  #withoutKnownHooks(value: unknown): { line?: string } {
    const { request, ...rest } = value as { request: { hooks?: unknown } }
    const { hooks, ...others } = request
    const text = JSON.stringify(hooks ?? null)
    const isKnown = text === this.#hooks
    this.#hooks = text
    return isKnown ? { line: JSON.stringify({ ...rest, request: others }) } : {}
  }

  answered(requestId: string): void {
    this.#answering.delete(requestId)
    this.#open.delete(requestId)
    this.#answered.add(requestId)
  }

  /** Requests up to line `n` that still need an answer, oldest first. */
  unanswered(n: number): OpenRequest[] {
    const requests = [...this.#open.values()]
    return requests
      .filter((request) => request.n <= n && !this.#answering.has(request.requestId))
      .sort((a, b) => a.n - b.n)
  }

  snapshot(): { open: string[]; answered: string[]; uuids: string[]; folders: Record<string, string> } {
    return {
      open: [...this.#open.keys()],
      answered: [...this.#answered],
      uuids: [...this.#uuids],
      folders: this.#folders.snapshot(),
    }
  }
}
