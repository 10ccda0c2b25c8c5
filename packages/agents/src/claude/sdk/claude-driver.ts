import { stat } from 'node:fs/promises'
import { type AgentDriver, DriverError, type DriverStart, type OutgoingMessage } from '@holdpoint/core/driver'
import type { AttachmentId, SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { HostConnection } from '../../host/client/host-connection.ts'
import { callAction } from '../asks/call-action.ts'
import type { InteractiveTool } from '../asks/interactive-tool.ts'
import { createInteractiveTools } from '../asks/interactive-tools.ts'
import { whyNotAsShown } from '../asks/shown-effect.ts'
import { TOOL_NAMES } from '../asks/tool-names.ts'
import type { WatchedFiles } from '../asks/watched-files.ts'
import type { Sdk } from '../program/claude-program.ts'
import { runClaude } from './claude-run.ts'
import type { LaunchSettings } from './launch-options.ts'
import type { ContentBlocks } from './message-content.ts'
import type { Picture } from './result-pictures.ts'

export interface ClaudeDriverDeps {
  readonly agent: string
  readonly host: HostConnection
  /**
   * Loads the SDK when the first agent is started: it is large, and most of the time a gateway just waits. `say` is for
   * what the person who waits should know.
   */
  readonly loadSdk: (say: (text: string) => void) => Promise<Sdk>
  readonly settings: (start: DriverStart) => Promise<LaunchSettings>
  readonly content: (message: OutgoingMessage) => Promise<ContentBlocks>
  /** Tools that ask in a way of their own. They come before the built-in ones. */
  readonly tools?: readonly InteractiveTool[]
  /** The files that this folder was trusted for, as they are now. */
  readonly watchedFiles: (folder: string) => Promise<WatchedFiles>
  /** Keeps a picture that a tool returned. */
  readonly keepPicture: (sessionId: SessionId, picture: Picture) => Promise<AttachmentId>
  readonly warn: LogFunction
}

export function createClaudeDriver(deps: ClaudeDriverDeps): AgentDriver {
  const { content, watchedFiles, keepPicture, warn } = deps
  const tools = createInteractiveTools(deps.tools, warn)
  return {
    agent: deps.agent,
    watchedInput: tools.watchedInput,
    whyNotAsShown,
    actionOf: callAction,
    toolNames: TOOL_NAMES,
    reportsUsage: true,
    async start(start) {
      const host = await deps.host.client()
      const key = `${start.sessionId}.${start.epoch}`
      const attached = start.attach ? await host.attach({ key, after: start.attach.checkpoint }) : undefined
      if (start.attach && !attached && !start.attach.mayBeMissing) {
        throw new DriverError(
          'agent-gone',
          'The agent process ended while no gateway was running. Resume the session to continue.',
        )
      }
      const spawn = async (options: { command: string; args: string[]; env: Record<string, string | undefined> }) => {
        const env = Object.fromEntries(
          Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
        )
        const folder = await stat(start.cwd).catch(() => undefined)
        if (!folder?.isDirectory()) throw new DriverError('folder-gone', folderGone(start.cwd))
        start.stopping.throwIfAborted()
        return host.spawn({ key, command: options.command, args: options.args, cwd: start.cwd, env })
      }
      try {
        const say = (text: string) => {
          start.emit([{ type: 'item', item: { type: 'notice', level: 'info', text } }]).catch(() => {})
        }
        const [sdk, settings] = await Promise.all([deps.loadSdk(say), deps.settings(start)])
        if (settings.notice !== undefined && !attached) say(settings.notice)
        const parts = { content, watchedFiles, keepPicture, warn, tools, start, sdk, settings, spawn }
        return await runClaude({ ...parts, ...(attached && { attached }) })
      } catch (error) {
        // The session ends with this: its agent must not live on where nobody sees it.
        await attached?.kill('SIGKILL').catch(() => {})
        attached?.forget()
        throw error
      }
    },
  }
}

function folderGone(folder: string): string {
  return `The folder ${folder} does not exist any more, so the agent was not started. Messages that it has not got are kept: put the folder back, then resume the session.`
}
