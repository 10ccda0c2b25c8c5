import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { Button } from '@holdpoint/react/ui/button'
import { Chip } from '@holdpoint/react/ui/chip'
import { Dialog } from '@holdpoint/react/ui/dialog'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Device } from '@holdpoint/schema/device'
import { Globe, KeyRound, Pencil, Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useIsOwner, useMe } from '../account/me.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { type Remote, useRemote } from '../parts/use-remote.ts'
import { count } from '../text/count.ts'
import { PairDialog } from './pair-dialog.tsx'
import { RenameDeviceDialog } from './rename-device-dialog.tsx'

const ROLES: Readonly<Record<Device['role'], string>> = {
  owner: 'may do everything',
  approver: 'answers asks and writes to agents',
  viewer: 'can only view',
  raiser: 'raises asks, for hooks and programs',
}

const KINDS: Readonly<Record<NonNullable<Device['kind']>, string>> = {
  browser: 'browser',
  bearer: 'token of a program',
  environment: 'token that the gateway was started with',
}

export function DevicesPage() {
  const isOwner = useIsOwner()
  if (!isOwner) {
    return (
      <Page title="Devices">
        <Notice>Only an owner can see and change the devices. This browser is not an owner.</Notice>
      </Page>
    )
  }
  return <DeviceList />
}

function DeviceList() {
  const client = useClient()
  const me = useMe()
  const { remote, again } = useRemote(useCallback(() => client.devices(), [client]))
  const [pairing, setPairing] = useState(false)
  const [revoking, setRevoking] = useState<Device>()
  const [renaming, setRenaming] = useState<Device>()
  return (
    <Page
      title="Devices"
      intro="Browsers that are logged in, and tokens of programs. What you revoke is locked out at once."
      aside={
        <Button variant="primary" icon={Plus} className="ml-auto" onClick={() => setPairing(true)}>
          Pair a device
        </Button>
      }
    >
      <RemoteView remote={remote} again={again}>
        {(devices) => (
          <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
            {[...devices].sort(byLastSeen).map((device) => (
              <DeviceLine
                key={device.id}
                device={device}
                isThisOne={device.id === me?.device.id}
                onRename={() => setRenaming(device)}
                onRevoke={() => setRevoking(device)}
                onChanged={again}
              />
            ))}
          </ul>
        )}
      </RemoteView>
      <PairDialog
        open={pairing}
        onClose={() => {
          setPairing(false)
          again()
        }}
      />
      {renaming && <RenameDeviceDialog device={renaming} onRenamed={again} onClose={() => setRenaming(undefined)} />}
      {revoking && (
        <RevokeDialog
          device={newest(revoking, remote)}
          isThisOne={revoking.id === me?.device.id}
          onRefused={again}
          onClose={() => {
            setRevoking(undefined)
            again()
          }}
        />
      )}
    </Page>
  )
}

function byLastSeen(one: Device, other: Device): number {
  return other.lastSeenAt - one.lastSeenAt
}

function newest(device: Device, remote: Remote<readonly Device[]>): Device {
  return (remote.state === 'ready' && remote.value.find(({ id }) => id === device.id)) || device
}

interface DeviceLineProps {
  readonly device: Device
  readonly isThisOne: boolean
  onRename(): void
  onRevoke(): void
  onChanged(): void
}

function DeviceLine({ device, isThisOne, onRename, onRevoke, onChanged }: DeviceLineProps) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const name = render(device.name)
  const isOurs = device.kind !== 'environment'
  const Icon = device.kind === undefined || device.kind === 'browser' ? Globe : KeyRound
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <Icon aria-hidden className="size-5 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 text-sm font-medium">
          <VisibleText text={device.name} className="min-w-0 wrap-anywhere" />
          {isThisOne && (
            <span className="shrink-0">
              <Chip tone="accent">this one</Chip>
            </span>
          )}
        </p>
        <p className="text-[13px] text-quiet">
          {device.kind && `${KINDS[device.kind]} · `}
          <span title={ROLES[device.role]}>{device.role}</span>
          {isOurs && (
            <>
              {' '}
              · seen <Age since={device.lastSeenAt} suffix=" ago" />
            </>
          )}
          {device.sessionIds && ` · limited to ${count(device.sessionIds.length, 'session')}`}
        </p>
        {!isOurs && (
          <p className="text-[13px] text-quiet">
            To revoke it, start the gateway without it. Until then, whoever has it may do everything.
          </p>
        )}
        {device.revoking && (
          <p className="text-[13px] text-deny">
            Locked out. Not yet removed from the disk: free some disk space before you restart Holdpoint, or it can log
            in again.
          </p>
        )}
        {failure !== undefined && (
          <p role="alert" className="text-[13px] font-medium text-deny">
            Still not removed.
          </p>
        )}
      </div>
      {isOurs && !device.revoking && (
        <IconButton icon={Pencil} label={`Rename ${name}`} onClick={onRename} className="-mr-2" />
      )}
      {device.revoking ? (
        <Button
          busy={busy}
          onClick={() => void run(client.revokeDevice(device.id)).then(onChanged)}
          aria-label={`Try again to remove ${name}`}
        >
          Try again
        </Button>
      ) : (
        isOurs && (
          <Button variant="deny" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        )
      )}
    </li>
  )
}

interface RevokeDialogProps {
  readonly device: Device
  readonly isThisOne: boolean
  onRefused(): void
  onClose(): void
}

function RevokeDialog({ device, isThisOne, onRefused, onClose }: RevokeDialogProps) {
  const client = useClient()
  const command = useCommand()
  if (device.revoking) {
    return (
      <Dialog
        open
        onClose={onClose}
        title="Locked out, but not yet removed"
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <p role="alert" className="text-sm">
          <strong>
            <VisibleText text={device.name} />
          </strong>{' '}
          can do nothing any more, but could not be removed from the disk. Holdpoint keeps trying. Free some disk space
          before you restart it, or the device can log in again.
        </p>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title="Revoke this device?"
      no="Keep it"
      yes="Revoke"
      command={command}
      onYes={() => void command.run(client.revokeDevice(device.id)).then((done) => (done ? onClose() : onRefused()))}
      onClose={onClose}
    >
      <strong>
        <VisibleText text={device.name} />
      </strong>{' '}
      is logged out at once and can do nothing any more.
      {isThisOne && ' It is the browser you are using now: you will need a new link to come back.'}
    </ConfirmDialog>
  )
}
