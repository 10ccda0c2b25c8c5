import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { LogOut, Pencil } from 'lucide-react'
import { useState } from 'react'
import { forgetLogin, rememberLogin } from '../account/login-memory.ts'
import { useMe } from '../account/me.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Panel } from '../parts/panel.tsx'
import { setPreferences } from '../parts/preferences.ts'
import { useCommand } from '../parts/use-command.ts'
import { forgetPush } from '../push/push.ts'
import { RenameDeviceDialog } from './rename-device-dialog.tsx'

/** What this browser is to the gateway, its name, and the way out. */
export function ThisBrowser() {
  const me = useMe()
  const [renamed, setRenamed] = useState<string>()
  const [open, setOpen] = useState<'rename' | 'log-out'>()
  const device = me && { ...me.device, name: renamed ?? me.device.name }
  const close = () => setOpen(undefined)
  return (
    <Panel title="This browser">
      <p className="text-sm text-quiet">
        {device ? (
          <>
            <VisibleText text={device.name} className="font-medium text-ink" />, {device.role}. Holdpoint {me.version}.
          </>
        ) : (
          'Logged in.'
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        {device && (
          <Button icon={Pencil} onClick={() => setOpen('rename')}>
            Rename
          </Button>
        )}
        <Button icon={LogOut} onClick={() => setOpen('log-out')}>
          Log out…
        </Button>
      </div>
      {device && open === 'rename' && <RenameDeviceDialog device={device} onRenamed={setRenamed} onClose={close} />}
      {open === 'log-out' && <LogOutDialog onClose={close} />}
    </Panel>
  )
}

function LogOutDialog({ onClose }: { onClose(): void }) {
  const client = useClient()
  const command = useCommand()
  async function logOut() {
    forgetLogin()
    if (!(await command.run(client.logout()))) return rememberLogin()
    setPreferences({ notifications: false })
    await forgetPush()
  }
  return (
    <ConfirmDialog
      title="Log out this browser?"
      no="Stay logged in"
      yes="Log out"
      command={command}
      onYes={() => void logOut()}
      onClose={onClose}
    >
      To come back you need a new link: from the terminal where Holdpoint runs, or from <em>Devices</em> in another
      browser that is logged in. Agents keep waiting meanwhile. Messages that you have not sent are deleted here.
    </ConfirmDialog>
  )
}
