import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { DeviceNotices } from '@holdpoint/schema/notification'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RemoteView } from '../../parts/remote-view.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useCommand } from '../../parts/use-command.ts'
import { DeliveryLine } from './delivery-line.tsx'
import type { NotificationsProps } from './device-notifications-panel.tsx'
import { TestButton } from './test-button.tsx'

/** For owners: every device that gets pushes, how the last ones went, and whether its notifications may allow. */
export function NotifiedDevicesPanel({ remote, again }: NotificationsProps) {
  return (
    <Panel title="Devices with notifications">
      <p className="text-sm text-quiet">
        Each device chooses for itself, on its own Settings page, what it is told. Revoking a device or logging it out
        ends its notifications.
      </p>
      <p className="text-sm text-quiet">
        With the <b>Allow button</b>, a notification can allow a short command without opening Holdpoint. It is there
        only where the whole command is in the notification. Whoever can reach the screen of that device can press it,
        on many phones even while it is locked. Without it, notifications can only deny and open.
      </p>
      <RemoteView remote={remote} again={again}>
        {({ devices = [] }) =>
          devices.length === 0 ? (
            <p className="text-sm">No device gets notifications.</p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {devices.map((device) => (
                <DeviceLine key={device.deviceId} device={device} onChanged={again} />
              ))}
            </ul>
          )
        }
      </RemoteView>
    </Panel>
  )
}

function DeviceLine({ device, onChanged }: { device: DeviceNotices; onChanged(): void }) {
  const client = useClient()
  const { run, failure } = useCommand()
  const { deviceId, name, mayAllow, service, state, settings } = device
  return (
    <li className="flex flex-col gap-3 px-3.5 py-3">
      <div className="text-[13px] text-quiet">
        <p className="text-sm font-medium text-ink">
          <VisibleText text={name} />
        </p>
        <p>
          by <VisibleText text={service} />; <DeliveryLine state={state} />
        </p>
      </div>
      <Switch
        label="Allow button"
        hint={
          mayAllow && settings.content !== 'text' ? (
            <span className="text-wait">
              It has none yet: the device itself must let “What is asked” be read on its locked screen.
            </span>
          ) : undefined
        }
        checked={mayAllow}
        onChange={(wanted) => void run(client.notifications.setMayAllow(deviceId, wanted)).then(onChanged)}
      />
      <FailureNotice why={failure} />
      <TestButton to={deviceId} name={render(name)} onDone={onChanged} />
    </li>
  )
}
