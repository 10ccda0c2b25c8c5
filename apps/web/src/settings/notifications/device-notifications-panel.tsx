import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import type { NoticeSettings } from '@holdpoint/schema/notification'
import { Bell } from 'lucide-react'
import { useRef, useState } from 'react'
import { askForNotifications, notificationState, showNotification } from '../../attention/notifications.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { setPreferences, usePreferences } from '../../parts/preferences.ts'
import { RemoteView } from '../../parts/remote-view.tsx'
import { Switch } from '../../parts/switch.tsx'
import { useCommand } from '../../parts/use-command.ts'
import type { Remote } from '../../parts/use-remote.ts'
import { switchPushOff, switchPushOn } from '../../push/push.ts'
import { browserFacts, isAndroid, type PushPlace, pushPlace } from '../../push/push-place.ts'
import { DEFAULT_SETTINGS, keptSettings } from '../../push/push-settings.ts'
import { NoticeSettingsFields } from './notice-settings-fields.tsx'
import { TestButton } from './test-button.tsx'
import { useDraft } from './use-draft.ts'
import { AndroidSteps, AppleSteps } from './walk-throughs.tsx'

export interface NotificationsProps {
  readonly remote: Remote<Notifications>
  again(): void
}

/** Whether this browser rings, for what, and what it may show. */
export function DeviceNotificationsPanel({ remote, again }: NotificationsProps) {
  const place = pushPlace(browserFacts())
  return (
    <Panel title="Notifications on this device">
      {place === 'install-first' ? (
        <AppleSteps />
      ) : notificationState() === 'unsupported' ? (
        <NotHere place={place} />
      ) : (
        <RemoteView remote={remote} again={again}>
          {(known) => <DeviceNotifications place={place} known={known} again={again} />}
        </RemoteView>
      )}
    </Panel>
  )
}

function NotHere({ place }: { place: PushPlace }) {
  if (place !== 'insecure') return <Notice>This browser does not support notifications for web pages.</Notice>
  return (
    <Notice tone="wait">
      Browsers allow notifications only over HTTPS, or on the gateway’s own machine (http://127.0.0.1). Open Holdpoint
      at an address that starts with https:// to switch them on: “Reaching it from a phone” in the docs says how to get
      one.
    </Notice>
  )
}

interface DeviceNotificationsProps {
  readonly place: PushPlace
  readonly known: Notifications
  again(): void
}

function DeviceNotifications({ place, known, again }: DeviceNotificationsProps) {
  const client = useClient()
  const { notifications: isWanted } = usePreferences()
  const [permission, setPermission] = useState(notificationState)
  const { run, busy, failure, clear } = useCommand()
  const latest = useRef<NoticeSettings>(undefined)
  const { own, publicKey, projects } = known
  const hasPush = own !== undefined && keptSettings() !== undefined && permission === 'granted'
  const isOn = permission === 'granted' && (hasPush || isWanted)
  const isOpenOnly = isOn && !hasPush && !busy

  async function switchTo(wanted: boolean) {
    clear()
    const state = wanted ? await askForNotifications() : permission
    setPermission(state)
    setPreferences({ notifications: wanted && state === 'granted' })
    if (!wanted && own) await run(switchPushOff(client))
    if (wanted && state === 'granted' && place === 'ready') await save(own?.settings ?? DEFAULT_SETTINGS)
    again()
  }
  const save = (settings: NoticeSettings) => run(switchPushOn(client, { publicKey, settings }))
  async function change(settings: NoticeSettings) {
    latest.current = settings
    await save(settings)
    // Another change is on its way by now: what is read before that would replace it on the page.
    if (latest.current === settings) again()
  }

  return (
    <>
      <Switch
        label="Notifications"
        hint={
          place === 'ready' && !isOpenOnly
            ? 'Also while Holdpoint is closed.'
            : 'While this page is open in the background.'
        }
        checked={isOn}
        onChange={(wanted) => void switchTo(wanted)}
      />
      {permission === 'denied' && (
        <Notice tone="wait">
          This browser blocks notifications from this site. Allow them in its settings for this site (often behind the
          icon beside the address), then reload this page.
        </Notice>
      )}
      <FailureNotice why={failure} />
      {busy && <p className="text-[13px] text-quiet">Saving…</p>}
      {isOpenOnly && <WhilePageIsOpen mayComeLater={place === 'ready'} />}
      {hasPush && own && (
        <>
          <SettingsOfDevice
            settings={own.settings}
            projects={projects}
            onChange={(settings) => void change(settings)}
          />
          {isAndroid() && <AndroidSteps />}
          <TestButton to={own.deviceId} onDone={again} />
        </>
      )}
    </>
  )
}

interface SettingsOfDeviceProps {
  readonly settings: NoticeSettings
  readonly projects: readonly string[]
  onChange(settings: NoticeSettings): void
}

/** Shows a change at once; what the gateway says afterwards replaces it. */
function SettingsOfDevice({ settings: saved, projects, onChange }: SettingsOfDeviceProps) {
  const [settings, setSettings] = useDraft(saved)
  return (
    <NoticeSettingsFields
      settings={settings}
      projects={projects}
      contentLegend="What may be read on the locked screen"
      onChange={(next) => {
        setSettings(next)
        onChange(next)
      }}
    />
  )
}

/** What is left where there is no push. */
function WhilePageIsOpen({ mayComeLater }: { mayComeLater: boolean }) {
  const [isShown, setShown] = useState<boolean>()
  const test = () =>
    setShown(
      showNotification({
        title: 'A command needs your answer',
        body: 'A test from Holdpoint',
        tag: 'test',
        onClick() {},
      }),
    )
  return (
    <>
      <Notice tone={mayComeLater ? 'wait' : 'plain'}>
        Notifications of asks come only while this page is open in the background. They name the tool and the session,
        nothing else.
        {mayComeLater && ' To try again, switch them off and on.'}
      </Notice>
      {isShown === false && (
        <Notice tone="wait">This browser did not show it: on phones, only push can show notifications.</Notice>
      )}
      {isShown && (
        <p role="status" className="text-[13px] text-quiet">
          This browser took it. If you see nothing, look at the notification settings of this device.
        </p>
      )}
      <div>
        <Button icon={Bell} onClick={test}>
          Test notification
        </Button>
      </div>
    </>
  )
}
