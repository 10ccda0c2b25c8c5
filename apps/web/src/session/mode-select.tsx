import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Session } from '@holdpoint/schema/session'
import { lazy, Suspense, useState } from 'react'
import { useCommand } from '../parts/use-command.ts'
import { MODES, modeMeaning, needsConfirmation } from '../text/permission-modes.ts'

const WithoutAskingDialog = lazy(() =>
  import('../new-session/without-asking-dialog.tsx').then((part) => ({ default: part.WithoutAskingDialog })),
)

/** Claude Code takes this mode only in a session that it was started in; its own words name a flag that nobody here can give. */
const ONLY_FROM_THE_START =
  'This mode can only be taken by a session that was started in it. Start a new session for that.'

/** Changes the mode; what is shown is the gateway's word, not the choice. */
export function ModeSelect({ session }: { session: Session }) {
  const client = useClient()
  const { run, busy, failure, clear } = useCommand()
  const machine = useMachineOf(session)
  const [wanted, setWanted] = useState<PermissionMode>()
  const set = (mode: PermissionMode) => run(client.setMode(session.id, mode))

  function choose(mode: PermissionMode) {
    if (needsConfirmation(mode, session.gate)) setWanted(mode)
    else void set(mode)
  }
  function close() {
    setWanted(undefined)
    clear()
  }

  return (
    <div>
      <select
        aria-label="Permission mode"
        title={modeMeaning(session.permissionMode)}
        value={session.permissionMode}
        aria-busy={busy}
        onChange={(event) => choose(event.target.value as PermissionMode)}
        className="field-sizing-content min-h-11 max-w-52 rounded-lg border border-line bg-card px-2.5 text-base focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9 pointer-fine:text-sm"
      >
        {MODES.map(({ mode, name }) => (
          <option key={mode} value={mode}>
            {name}
          </option>
        ))}
      </select>
      {failure && wanted === undefined && (
        <p role="alert" className="mt-1 text-xs text-deny">
          {failure}
        </p>
      )}
      {wanted !== undefined && (
        <Suspense>
          <WithoutAskingDialog
            folder={session.cwd}
            machine={machine}
            command={{ busy, failure: failure === undefined ? undefined : `${failure} ${ONLY_FROM_THE_START}` }}
            onYes={() => void set(wanted).then((done) => done && close())}
            onClose={close}
          />
        </Suspense>
      )}
    </div>
  )
}
