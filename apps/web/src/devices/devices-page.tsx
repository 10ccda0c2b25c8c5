import { render } from '@holdpoint/core/text/visible-text'
import { Age } from '@holdpoint/react/age'
import { Button } from '@holdpoint/react/button'
import { Chip } from '@holdpoint/react/chip'
import { Dialog } from '@holdpoint/react/dialog'
import { useClient } from '@holdpoint/react/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/visible-text'
import type { Device } from '@holdpoint/schema/device'
import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useIsOwner, useMe } from '../me.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { useCommand } from '../session/use-command.ts'
import { PairDialog } from './pair-dialog.tsx'

const ROLES: Readonly<Record<Device['role'], string>> = {
  owner: 'may do everything',
  approver: 'answers and writes',
  viewer: 'looks on',
  raiser: 'asks, for hooks and programs',
}

export function DevicesPage() {
  const isOwner = useIsOwner()
  if (!isOwner) {
    return (
      <Page title="Devices">
        <Notice>Only an owner sees and changes the devices. This browser is not one.</Notice>
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
  return (
    <Page
      title="Devices"
      intro="Everything that can reach this gateway. What you revoke is out at once."
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
              <li key={device.id} className="flex items-center gap-3 px-4 py-3">
                <div className="min-w-0 flex-1">
                  <p className="flex items-center gap-2 text-sm font-medium">
                    <span className="truncate" title={render(device.name)}>
                      <VisibleText text={device.name} />
                    </span>
                    {device.id === me?.device.id && (
                      <span className="shrink-0">
                        <Chip tone="accent">this one</Chip>
                      </span>
                    )}
                    {device.revoking && (
                      <span className="shrink-0">
                        <Chip tone="deny">locked out, still on the disk</Chip>
                      </span>
                    )}
                  </p>
                  <p className="text-[13px] text-quiet">
                    <span title={ROLES[device.role]}>{device.role}</span> · seen{' '}
                    <Age since={device.lastSeenAt} suffix=" ago" />
                    {device.sessionIds && ` · ${device.sessionIds.length} of the sessions`}
                  </p>
                </div>
                <Button variant="deny" onClick={() => setRevoking(device)} aria-label={`Revoke ${render(device.name)}`}>
                  Revoke
                </Button>
              </li>
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
      {revoking && (
        <RevokeDialog
          device={revoking}
          isThisOne={revoking.id === me?.device.id}
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

function RevokeDialog({ device, isThisOne, onClose }: { device: Device; isThisOne: boolean; onClose: () => void }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  return (
    <Dialog
      open
      onClose={onClose}
      title="Revoke this device?"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            variant="deny"
            busy={busy}
            onClick={() => void run(client.revokeDevice(device.id)).then((done) => done && onClose())}
          >
            Revoke
          </Button>
        </>
      }
    >
      <p className="text-sm">
        <strong>
          <VisibleText text={device.name} />
        </strong>{' '}
        is logged out at once and can do nothing any more.
        {isThisOne && ' It is the browser you are using now: you will need a new link to come back.'}
      </p>
      {failure && (
        <div className="mt-3">
          <Notice tone="deny" role="alert">
            {failure}
          </Notice>
        </div>
      )}
    </Dialog>
  )
}
