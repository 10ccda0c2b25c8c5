import { ATTACHED, type AttachedSessions } from '@holdpoint/agents/claude/attached/attached-agents'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Session } from '@holdpoint/schema/session'
import type { Machines } from '../cluster/machines.ts'

/** The gateway's sessions for agents that come by themselves, on this machine: another one may have the same conversation. */
export function attachedSessions(deps: {
  ledger: Ledger
  sessions: Sessions
  store: Store
  machines: Pick<Machines, 'isOurs'>
}): AttachedSessions {
  const { ledger, sessions, store, machines } = deps
  // A terminal that the gateway holds has the conversations of what runs in it; the same one elsewhere is not its own.
  const isOf = (session: Session, vendorSessionId: string) =>
    session.vendorSessionId === vendorSessionId && session.agent !== TERMINAL_AGENT && machines.isOurs(session)
  const alive = (vendorSessionId: string) =>
    [...ledger.views().values()].find(({ session }) => isOf(session, vendorSessionId) && session.state !== 'dead')
      ?.session

  return {
    async find(vendorSessionId) {
      const live = alive(vendorSessionId)
      if (live) return { id: live.id, isAlive: true, isAttached: live.attached === true }
      const known = (await store.endedSessionsOf(vendorSessionId)).filter((session) => isOf(session, vendorSessionId))
      const found: Session | undefined = known.find((session) => session.attached) ?? known[0]
      return found && { id: found.id, isAlive: false, isAttached: found.attached === true }
    },
    async start({ vendorSessionId, cwd, permissionMode }) {
      const mode = PermissionMode.safeParse(permissionMode)
      const started = await sessions.start({
        agent: ATTACHED,
        attached: true,
        vendorSessionId,
        cwd,
        permissionMode: mode.success ? mode.data : 'default',
        gate: 'default',
        // Its dialog waits at the terminal for as long as nobody answers it there or here.
        askTimeoutMs: null,
        // What it loads was decided at the terminal.
        trusted: false,
      })
      if (!started.ok) throw new Error(`the session was not started: ${started.refusal}`)
    },
    async resume(id) {
      const resumed = await sessions.resume(id, { trusted: false, attached: true })
      if (!resumed.ok) throw new Error(`the session was not resumed: ${resumed.refusal}`)
    },
    hosted: () =>
      [...ledger.views().values()].flatMap(({ session }) =>
        session.agent === TERMINAL_AGENT && session.state !== 'dead' && machines.isOurs(session) ? [session.id] : [],
      ),
    ended(id) {
      return new Promise((resolve) => {
        const unsubscribe = ledger.subscribe(look)
        function look() {
          const view = ledger.views().get(id)
          if (view && view.session.state !== 'dead') return
          unsubscribe()
          resolve()
        }
        look()
      })
    },
  }
}
