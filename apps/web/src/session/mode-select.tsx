import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Session } from '@holdpoint/schema/session'
import { useCommand } from '../parts/use-command.ts'
import { COMMON_MODES, MODES, OTHER_MODES } from '../text/permission-modes.ts'

/** Changes the mode; what is shown is the gateway's word, not the choice. */
export function ModeSelect({ session }: { session: Session }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const meaning = MODES.find(({ mode }) => mode === session.permissionMode)?.meaning
  return (
    <div>
      <select
        aria-label="Permission mode"
        title={meaning}
        value={session.permissionMode}
        aria-busy={busy}
        onChange={(event) => void run(client.setMode(session.id, event.target.value as PermissionMode))}
        className="field-sizing-content min-h-11 max-w-52 rounded-lg border border-line bg-card px-2.5 text-base focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9 pointer-fine:text-sm"
      >
        {[...COMMON_MODES, ...OTHER_MODES].map(({ mode, name }) => (
          <option key={mode} value={mode}>
            {name}
          </option>
        ))}
      </select>
      {failure && (
        <p role="alert" className="mt-1 text-xs text-deny">
          {failure}
        </p>
      )}
    </div>
  )
}
