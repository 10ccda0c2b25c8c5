import { Button } from '@holdpoint/react/button'
import { useClient } from '@holdpoint/react/holdpoint-provider'
import { Bell, LogOut, Volume2 } from 'lucide-react'
import { useState } from 'react'
import { askForNotifications, notificationState, showNotification } from '../attention/notifications.ts'
import { playTone } from '../attention/sound.ts'
import { forgetLogin, rememberLogin } from '../login-memory.ts'
import { useMe } from '../me.tsx'
import { Choice } from '../parts/choice.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { Switch } from '../parts/switch.tsx'
import { useCommand } from '../session/use-command.ts'
import { setPreferences, usePreferences } from './preferences.ts'

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

export function SettingsPage() {
  const { theme } = usePreferences()
  return (
    <Page title="Settings" intro="Kept in this browser, for this browser.">
      <Panel title="Look">
        <Choice
          legend="Theme"
          name="theme"
          inline
          value={theme}
          options={THEMES}
          onChange={(value) => setPreferences({ theme: value })}
        />
      </Panel>
      <Panel title="When somebody waits for you">
        <NotificationSetting />
        <SoundSetting />
      </Panel>
      <Account />
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
        title: 'Bash waits for your answer',
        body: 'A test from Holdpoint',
        tag: 'test',
        onClick() {},
      }),
    )
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Notifications"
        hint="While this page is open but not in front. They name the tool and the session, nothing else."
        checked={notifications && permission === 'granted'}
        onChange={(wanted) => void onChange(wanted)}
      />
      {permission === 'denied' && (
        <Notice tone="wait">This browser refuses notifications from here. Its site settings can change that.</Notice>
      )}
      {permission === 'unsupported' && <Notice>This browser has no notifications for pages.</Notice>}
      {tested === false && (
        <Notice tone="wait">This browser did not show it: phones allow it to installed apps only.</Notice>
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
        hint="Two short soft notes for each new ask."
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
      {failure && (
        <Notice tone="deny" role="alert">
          {failure}
        </Notice>
      )}
      <div>
        <Button icon={LogOut} busy={busy} onClick={() => void logOut()}>
          Log out
        </Button>
      </div>
    </Panel>
  )
}
