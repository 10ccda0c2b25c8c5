import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { NewId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import type { Log } from '../system/log.ts'
import type { TrustedFolders } from './trusted-folders.ts'

export interface TrustWatchDeps {
  readonly ledger: Ledger
  readonly sessions: Pick<Sessions, 'end' | 'resume'>
  readonly trustedFolders: TrustedFolders
  /** Whether its agent runs on this machine: what a folder of another one has in it cannot be seen here. */
  readonly isOurs: (session: Session) => boolean
  readonly newId: NewId
  readonly log: Log
}

export interface TrustWatch {
  /**
   * Checks a session that is about to hand its agent a message. Rejects if that cannot be done. When the folder has changed,
   * the message is for the next life of the session.
   */
  beforeTurn(id: SessionId): Promise<void>
  /**
   * Checks every session in this folder, or in any. Resolves when those that have lost their trust are started again, or
   * cannot be.
   */
  check(folder: string | undefined): Promise<void>
}

/**
 * Starts an agent again without its folder's own settings when what the folder was trusted for has changed (T34). Claude Code
 * reads hook scripts at every call, and skills and agents again in the middle of a session, so an agent that went on would
 * use what nobody has looked at. Checks before a message is handed over, and when a turn begins and ends; within a turn
 * every call is refused as soon as there is a change (`tool-gate.ts`).
 */
export function createTrustWatch({ ledger, sessions, trustedFolders, isOurs, newId, log }: TrustWatchDeps): TrustWatch {
  /** The last check of each session. */
  const checks = new Map<SessionId, Promise<void>>()
  ledger.subscribe((stored) => {
    for (const { event } of stored) {
      if (event.type === 'session-changed' && event.changes.state !== undefined) void orWarn(event.sessionId)
    }
  })
  return {
    beforeTurn: inTurn,
    async check(folder) {
      const inFolder = [...ledger.views().values()].filter(({ session }) => [undefined, session.cwd].includes(folder))
      await Promise.all(inFolder.map(({ session }) => orWarn(session.id)))
    },
  }

  function orWarn(id: SessionId): Promise<void> {
    return inTurn(id).catch((error: unknown) => {
      log.warn('folder_trust_not_checked', { sessionId: id, error: String(error) })
    })
  }

  /** One check of a session at a time: two would start its agent twice. */
  function inTurn(id: SessionId): Promise<void> {
    const next = (checks.get(id) ?? Promise.resolve()).catch(() => {}).then(() => look(id))
    checks.set(id, next)
    return next.finally(() => {
      if (checks.get(id) === next) checks.delete(id)
    })
  }

  async function look(id: SessionId) {
    const session = ledger.views().get(id)?.session
    if (!session?.trusted || !isOurs(session) || session.embedded || session.attached) return
    const trust = await trustedFolders.look(session.cwd)
    if (trust.state === 'trusted') return
    // What runs in a terminal is the person's own, with their own settings: it is not for us to end.
    if (session.agent === TERMINAL_AGENT) return tell(id, `${noticeOf(trust)} ${STAYS}`)
    if (session.parkedAt !== undefined) return startWithout(id, `${noticeOf(trust)} ${PARKED}`)
    // The new agent is the first without trust. Said before that, a gateway that dies in between would leave the old one as
    // it is, and the next gateway would not check it again.
    const ended = await sessions.end(id, { epoch: session.epoch, notice: `${noticeOf(trust)} ${RESTARTED}` })
    // Somebody else has ended it in the meantime: then it stays ended.
    if (!ended.ok) return
    const resumed = await sessions.resume(id, { trusted: false, unattended: true })
    if (!resumed.ok) log.warn('session_not_resumed', { sessionId: id, refusal: resumed.refusal })
  }

  /** A parked agent is not started for this. When it is woken, it begins a new life: nothing remembered before holds in it. */
  async function startWithout(id: SessionId, text: string) {
    await ledger.transact(id, (view, at) => {
      // Woken in the meantime: it is looked at before it gets its message.
      if (!view?.session.trusted || view.session.parkedAt === undefined) return { events: [], result: undefined }
      const item: Item = { id: newId('itm'), at, type: 'notice', level: 'error', text }
      const changes = { trusted: false, lifeEpoch: view.session.epoch + 1 }
      const events: DurableEvent[] = [
        { type: 'item-added', sessionId: id, at, item },
        { type: 'session-changed', sessionId: id, at, changes },
      ]
      return { events, result: undefined }
    })
  }

  async function tell(id: SessionId, text: string) {
    await ledger.transact(id, (view, at) => {
      if (!view?.session.trusted) return { events: [], result: undefined }
      const item: Item = { id: newId('itm'), at, type: 'notice', level: 'error', text }
      const events: DurableEvent[] = [
        { type: 'item-added', sessionId: id, at, item },
        { type: 'session-changed', sessionId: id, at, changes: { trusted: false } },
      ]
      return { events, result: undefined }
    })
  }
}

const RESTARTED =
  "The agent was ended, with everything that it still ran. It restarts without the folder's own settings. They stay off until a person has reviewed them. If the agent was working, send your message again. If an alarm froze the session, resume it yourself."
const PARKED =
  "The agent is parked. When it starts again, it starts without the folder's own settings. They stay off until a person has reviewed them."
/** Changed files in a notice. */
const MAX_NAMED = 20
const STAYS = 'The program in this terminal continues unchanged.'

function noticeOf({ reason, files }: Awaited<ReturnType<TrustedFolders['look']>>): string {
  const changed = files.filter(({ change }) => change !== undefined).map(({ path, change }) => `${path} (${change})`)
  const more = changed.length > MAX_NAMED ? [`${changed.length - MAX_NAMED} more`] : []
  const what = changed.length > 0 ? ` ${[...changed.slice(0, MAX_NAMED), ...more].join(', ')}.` : ''
  return `This folder is no longer trusted. ${reason ?? 'Someone has stopped trusting it.'}${what}`
}
