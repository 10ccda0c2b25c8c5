import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Bell, LogOut, Volume2 } from 'lucide-react'
import { useState } from 'react'
import { forgetLogin, rememberLogin } from '../account/login-memory.ts'
import { useIsOwner, useMe } from '../account/me.tsx'
import { askForNotifications, notificationState, showNotification } from '../attention/notifications.ts'
import { playTone } from '../attention/sound.ts'
import { Choice } from '../parts/choice.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { setPreferences, usePreferences } from '../parts/preferences.ts'
import { Switch } from '../parts/switch.tsx'
import { useCommand } from '../parts/use-command.ts'
import { TimeLimitsPanel } from './time-limits-panel.tsx'
import { TrustedFoldersPanel } from './trusted-folders-panel.tsx'

const THEMES = [
  { value: 'system', label: 'Match system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

export function SettingsPage() {
  const { theme } = usePreferences()
  const isKnown = useMe() !== undefined
  const isOwner = useIsOwner()
  return (
    <Page title="Settings">
      <p className="text-sm text-quiet">Saved in this browser, for this browser only:</p>
      <Panel title="Appearance">
        <Choice
          legend="Theme"
          name="theme"
          inline
          value={theme}
          options={THEMES}
          onChange={(value) => setPreferences({ theme: value })}
        />
      </Panel>
      <Panel title="When an ask needs your answer">
        <NotificationSetting />
        <SoundSetting />
      </Panel>
      <Account />
      {isKnown && isOwner && (
        <>
          <p className="mt-4 text-sm text-quiet">Saved in the gateway, for everyone who uses it:</p>
          <TimeLimitsPanel />
          <TrustedFoldersPanel />
        </>
      )}
    </Page>
  )
}

function NotificationSetting() {
  const { notifications } = usePreferences()
  const [permission, setPermission] = useState(notificationState)
  const [tested, setTested] = useState<boolean>()
  async function onChange(wanted: boolean) {
    const state = wanted ? await askForNotifications() : permission
    setPermission(state)
    setPreferences({ notifications: wanted && state === 'granted' })
  }
  const test = () =>
    setTested(
      showNotification({
        title: 'A command needs your answer',
        body: 'A test from Holdpoint',
        tag: 'test',
        onClick() {},
      }),
    )
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Notifications"
        hint="While this page is open in the background. They name the tool and the session, nothing else."
        checked={notifications && permission === 'granted'}
        onChange={(wanted) => void onChange(wanted)}
      />
      {permission === 'denied' && (
        <Notice tone="wait">
          This browser blocks notifications from this site. You can allow them in its site settings.
        </Notice>
      )}
      {permission === 'unsupported' && <Notice>This browser does not support notifications for web pages.</Notice>}
      {tested === false && (
        <Notice tone="wait">
          This browser did not show it: on phones, only installed apps can show notifications.
        </Notice>
      )}
      {notifications && permission === 'granted' && (
        <div>
          <Button icon={Bell} onClick={test}>
            Test notification
          </Button>
        </div>
      )}
    </div>
  )
}

function SoundSetting() {
  const { sound, volume } = usePreferences()
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <Switch
        label="Sound"
        hint="Two short, soft tones for each new ask."
        checked={sound}
        onChange={(wanted) => {
          setPreferences({ sound: wanted })
          if (wanted) playTone(volume)
        }}
      />
      {sound && (
        <div className="flex flex-wrap items-center gap-4">
          <label className="flex min-h-11 min-w-48 flex-1 items-center gap-3 text-sm">
            Volume
            <input
              type="range"
              min="0.05"
              max="1"
              step="0.05"
              value={volume}
              onChange={(event) => setPreferences({ volume: Number(event.target.value) })}
              className="min-h-6 flex-1 accent-accent"
            />
          </label>
          <Button icon={Volume2} onClick={() => playTone(volume)}>
            Test sound
          </Button>
        </div>
      )}
    </div>
  )
}

function Account() {
  const client = useClient()
  const me = useMe()
  const { run, busy, failure } = useCommand()
  async function logOut() {
    forgetLogin()
    if (!(await run(client.logout()))) rememberLogin()
  }
  return (
    <Panel title="This browser">
      <p className="text-sm text-quiet">
        {me ? `${me.device.name}, ${me.device.role}. Holdpoint ${me.version}.` : 'Logged in.'}
      </p>
      <FailureNotice why={failure} />
      <div>
        <Button icon={LogOut} busy={busy} onClick={() => void logOut()}>
          Log out
        </Button>
      </div>
    </Panel>
  )
}
