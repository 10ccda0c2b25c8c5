import type { ControlLine } from './control-line.ts'

/** Calls that were refused are never reported as over; a folder that is forgotten is shown as not known. */
const MAX_CALLS = 1000

/** In which folder a call acts, as the agent reports it to its hooks before the call and to nobody else. */
export class CallFolders {
  readonly #folders: Map<string, string>

  constructor(known: Readonly<Record<string, string>> = {}) {
    this.#folders = new Map(Object.entries(known))
  }

  fromAgent(control: ControlLine): void {
    if (control.type === 'report' && control.toolUseId !== undefined) this.#folders.delete(control.toolUseId)
    if (control.type === 'request' && control.call) this.heard(control.call)
  }

  heard({ toolUseId, cwd }: { readonly toolUseId: string; readonly cwd: string }): void {
    this.#folders.delete(toolUseId)
    this.#folders.set(toolUseId, cwd)
    for (const oldest of this.#folders.keys()) {
      if (this.#folders.size <= MAX_CALLS) break
      this.#folders.delete(oldest)
    }
  }

  of(toolUseId: string): string | undefined {
    return this.#folders.get(toolUseId)
  }

  snapshot(): Record<string, string> {
    return Object.fromEntries(this.#folders)
  }
}
