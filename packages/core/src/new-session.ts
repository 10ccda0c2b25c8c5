import type { ItemId, NodeId, SessionId } from '@holdpoint/schema/id'
import type { Session, StartSession } from '@holdpoint/schema/session'
import type { TimeLimit } from '@holdpoint/schema/time-limit'
import type { AgentDriver } from './driver.ts'
import { folderName } from './text/folder-name.ts'
import { startLimits } from './time-limits.ts'

/** A start that the edge has checked: the folder exists, and whether it is trusted is known. */
export interface CheckedStart
  extends Omit<StartSession, 'cwd' | 'node' | 'trust' | 'trustDigest' | 'resume' | 'resumeTranscript'> {
  readonly cwd: string
  readonly trusted: boolean
  /** Speaks for an agent that is here already, inside another program: the session is an embedded one. */
  readonly embedded?: AgentDriver
  /** The agent has come by itself, from a terminal. */
  readonly attached?: true
  /** The vendor's id of the conversation, where there is one already. */
  readonly vendorSessionId?: string
  /** The ids to use: a call that is repeated names the same ones, and is done once. */
  readonly ids?: { readonly session: SessionId; readonly message: ItemId }
}

/** A session as it begins. */
export function newSession(
  id: SessionId,
  options: CheckedStart,
  given: { readonly at: number; readonly timeLimits: readonly TimeLimit[]; readonly node?: NodeId | undefined },
): Session {
  const { at } = given
  return {
    id,
    ...(given.node && { node: given.node }),
    agent: options.agent,
    projectId: projectIdOf(options.cwd),
    cwd: options.cwd,
    title: options.title ?? titleOf(options.prompt) ?? folderName(options.cwd),
    state: 'starting',
    permissionMode: options.permissionMode,
    gate: options.gate,
    ...(options.model !== undefined && { model: options.model }),
    startedAt: at,
    stateChangedAt: at,
    epoch: 1,
    openAsks: 0,
    queuedMessages: 0,
    ...(options.budget && { budget: options.budget }),
    ...startLimits(options, options.cwd, given.timeLimits),
    trusted: options.trusted,
    ...(options.embedded && { embedded: true }),
    ...(options.embedded?.takesMessages && { takesMessages: true }),
    ...(options.attached && { attached: true }),
    ...(options.vendorSessionId !== undefined && { vendorSessionId: options.vendorSessionId }),
  }
}

/** The folder, spelled so that it fits into a URL and a file name. */
function projectIdOf(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-')
}

function titleOf(prompt: string | undefined): string | undefined {
  const line = prompt?.trim().split('\n')[0]?.trim()
  if (!line) return undefined
  return line.length > 80 ? `${line.slice(0, 77)}...` : line
}
