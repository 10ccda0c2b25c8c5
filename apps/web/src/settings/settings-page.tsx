import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Volume2 } from 'lucide-react'
import { useCallback } from 'react'
import { useIsOwner, useMe } from '../account/me.tsx'
import { playTone } from '../attention/sound.ts'
import { ThisBrowser } from '../devices/this-browser.tsx'
import { Choice } from '../parts/choice.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { setPreferences, usePreferences } from '../parts/preferences.ts'
import { Switch } from '../parts/switch.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { KeepPanel } from './keep-panel.tsx'
import { ChannelsPanel } from './notifications/channels-panel.tsx'
import { DeviceNotificationsPanel } from './notifications/device-notifications-panel.tsx'
import { EscalationsPanel } from './notifications/escalations-panel.tsx'
import { NotifiedDevicesPanel } from './notifications/notified-devices-panel.tsx'
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
  const client = useClient()
  const notifications = useRemote(useCallback(() => client.notifications.read(), [client]))
  return (
    <Page title="Settings">
      <p className="text-sm text-quiet">For this browser only:</p>
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
      <DeviceNotificationsPanel {...notifications} />
      <Panel title="Sound">
        <SoundSetting />
      </Panel>
      <ThisBrowser />
      {isKnown && isOwner && (
        <>
          <p className="mt-4 text-sm text-quiet">Saved in the gateway, for everyone who uses it:</p>
          <NotifiedDevicesPanel {...notifications} />
          <ChannelsPanel {...notifications} />
          <EscalationsPanel {...notifications} />
          <TimeLimitsPanel />
          <KeepPanel />
          <TrustedFoldersPanel />
        </>
      )}
    </Page>
  )
}

function SoundSetting() {
  const { sound, volume } = usePreferences()
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Sound"
        hint="Two short, soft tones for each new ask, while this page is open."
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
