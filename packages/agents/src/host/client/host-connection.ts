import { DriverError } from '@holdpoint/core/driver'
import { hasLeftovers } from '../../processes/leftovers.ts'
import { connectHost, type HostClient } from './host-client.ts'
import { HostError } from './host-error.ts'

export interface HostConnectionOptions {
  readonly dataDir: string
  readonly hostMain: string
  /** Whether an agent still belongs to a session. Those that do not are ended: nobody would see them any more. */
  readonly isWanted: (key: string) => boolean
}

/** The gateway's one connection to its host: made when an agent is first needed, and again after it was lost. */
export function createHostConnection(options: HostConnectionOptions) {
  let client: Promise<HostClient> | undefined
  const closing = new AbortController()

  async function open(): Promise<HostClient> {
    try {
      const connected = await connectHost({ ...options, signal: closing.signal })
      void connected.closed.then((error) => {
        client = undefined
        if (error?.code === 'host-gone') void endAgentsOfLostHost()
      })
      // Before anything is started: two processes of one conversation must never run at once.
      const leftovers = connected.agents().filter(({ key }) => !options.isWanted(key))
      await Promise.all(leftovers.map(({ key }) => endLeftover(connected, key)))
      return connected
    } catch (error) {
      client = undefined
      const why = error instanceof HostError && error.code === 'version'
      const advice = why ? 'Run "holdpoint stop --all" once: the running agent host has another version.' : ''
      throw new DriverError(
        'host-unavailable',
        `The agent host cannot be reached (${(error as Error).message}). ${advice}`.trim(),
        {
          cause: error,
        },
      )
    }
  }

  /** Agents of a host that died go on for a while with nobody to answer them. The next host ends them: it is started now. */
  async function endAgentsOfLostHost() {
    if (closing.signal.aborted || !(await hasLeftovers(options.dataDir))) return
    client ??= open()
    // Not reached: then the next session that needs a host says so, and that host ends them.
    await client.catch(() => {})
  }

  async function endLeftover(connected: HostClient, key: string) {
    const agent = await connected.attach({ key, after: Number.MAX_SAFE_INTEGER }).catch(() => undefined)
    await agent?.kill('SIGKILL').catch(() => {})
    agent?.forget()
  }

  return {
    client(): Promise<HostClient> {
      client ??= open()
      return client
    },
    /** Leaves host and agents running. */
    async close() {
      closing.abort(new Error('the gateway is shutting down'))
      const connected = await client?.catch(() => undefined)
      connected?.close()
    },
  }
}
export type HostConnection = ReturnType<typeof createHostConnection>
