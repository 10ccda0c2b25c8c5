import { askWords } from '@holdpoint/core/notifications/notice-words'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { preferences } from '../parts/preferences.ts'
import { useShownLater } from '../parts/use-shown-later.ts'
import { keptSettings } from '../push/push-settings.ts'
import { showCount } from './favicon.ts'
import { showNotification } from './notifications.ts'
import { playTone } from './sound.ts'

/** Calls the person: the count always, sounds and notifications where they were asked for. */
export function Attention() {
  const client = useClient()
  const asks = useAsks()
  const { state } = useLink()
  const [, navigate] = useLocation()
  const known = useRef<Set<string>>(undefined)

  useShownLater(asks.length, showCount)

  useEffect(() => {
    if (state !== 'live') return
    const before = known.current
    known.current = new Set(asks.map((ask) => ask.id))
    // What was open when the page was opened is on the page: only what comes later calls.
    const added = before ? asks.filter((ask) => !before.has(ask.id)) : []
    if (added.length === 0) return
    const { sound, volume, notifications } = preferences()
    if (sound) playTone(volume)
    // Where push is on, the gateway sends them.
    if (!notifications || document.hasFocus() || keptSettings()) return
    for (const ask of added) {
      const session = client.getState().sessions.get(ask.sessionId)
      showNotification({
        ...askWords(ask, session ?? { agent: ask.agent, cwd: ask.context.cwd }, 'names'),
        tag: ask.id,
        onClick: () => navigate(`/asks/${ask.id}`),
      })
    }
  }, [asks, state, client, navigate])

  return null
}
