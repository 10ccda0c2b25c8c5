import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { ProcessGroup } from './process-group.ts'
import { runningProcess } from './processes.ts'

interface Recorded {
  readonly boot: string
  readonly pid: number
  readonly startTime: string
}

/**
 * Which agents run, on disk: a host that dies cannot end them, so the next one does. A record names the process by
 * boot, pid and start time; a process that merely has the same pid is left alone.
 */
export class Leftovers {
  readonly #path: string
  readonly #recorded = new Map<number, Recorded>()
  #writing: Promise<void> = Promise.resolve()

  constructor(dataDir: string) {
    this.#path = pathIn(dataDir)
  }

  /** Ends what an earlier host left running. */
  async end(): Promise<void> {
    const boot = await bootId()
    const text = await readFile(this.#path, 'utf8').catch(() => undefined)
    if (text === undefined || boot === undefined) return
    await Promise.all(
      readRecords(text).map(async (recorded) => {
        const now = await runningProcess(recorded.pid)
        if (recorded.boot !== boot || now?.startTime !== recorded.startTime) return
        await new ProcessGroup(recorded.pid).end({ force: false })
      }),
    )
    await rm(this.#path, { force: true })
  }

  async add(pid: number): Promise<void> {
    const [boot, entry] = await Promise.all([bootId(), runningProcess(pid)])
    if (boot === undefined || !entry) return
    this.#recorded.set(pid, { boot, pid, startTime: entry.startTime })
    await this.#write()
  }

  async remove(pid: number): Promise<void> {
    if (this.#recorded.delete(pid)) await this.#write()
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const temporary = `${this.#path}.new`
      await writeFile(temporary, JSON.stringify([...this.#recorded.values()]), { mode: 0o600 })
      await rename(temporary, this.#path)
    })
    // A full disk must not cost the agents that run: the record is a net, not a condition.
    this.#writing = this.#writing.catch((error: unknown) => console.error('cannot record running agents:', error))
    return this.#writing
  }
}

/** Whether a host has left a record of agents: it died before it could end them. */
export async function hasLeftovers(dataDir: string): Promise<boolean> {
  const text = await readFile(pathIn(dataDir), 'utf8').catch(() => undefined)
  return text !== undefined && readRecords(text).length > 0
}

function pathIn(dataDir: string): string {
  return `${dataDir}/host.agents.json`
}

function readRecords(text: string): Recorded[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isRecorded) : []
  } catch {
    return []
  }
}

function isRecorded(value: unknown): value is Recorded {
  const { boot, pid, startTime } = (value ?? {}) as Record<string, unknown>
  return typeof boot === 'string' && typeof startTime === 'string' && Number.isSafeInteger(pid) && (pid as number) > 1
}

async function bootId(): Promise<string | undefined> {
  return readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined)
}
