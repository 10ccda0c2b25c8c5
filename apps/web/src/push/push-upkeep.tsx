import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { useEffect, useState } from 'react'
import { restorePush } from './push.ts'
import { isOver } from './shown-notices.ts'
import { workerRegistration } from './worker-registration.ts'

/** What a page that is logged in does for pushes: keeps them coming, and takes away what is over. */
export function PushUpkeep() {
  const inFront = useInFront()
  useRestoredPush()
  useTakeAway(inFront)
  return null
}

/** Whether a person looks at this page. The gateway is told: it sends nothing then. */
function useInFront(): boolean {
  const client = useClient()
  const [inFront, setInFront] = useState(isInFront)
  useEffect(() => {
    const look = () => setInFront(isInFront())
    look()
    document.addEventListener('visibilitychange', look)
    window.addEventListener('focus', look)
    window.addEventListener('blur', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('focus', look)
      window.removeEventListener('blur', look)
    }
  }, [])
  useEffect(() => client.setInFront(inFront), [client, inFront])
  return inFront
}

function isInFront(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

/** Once for each page, when it is logged in for sure. */
function useRestoredPush(): void {
  const client = useClient()
  const isLive = useGateway(({ link }) => link === 'live')
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isLive || isDone) return
    setDone(true)
    // Without it, notifications of asks come while a page is open.
    restorePush(client).catch(() => {})
  }, [client, isLive, isDone])
}

function useTakeAway(inFront: boolean): void {
  const client = useClient()
  const open = useGateway(({ link, asks }) => (link === 'live' ? asks : undefined), Object.is)
  useEffect(() => {
    if (open) takeAway((tag) => isOver(tag, client, inFront)).catch(() => {})
  }, [client, open, inFront])
}

async function takeAway(isGone: (tag: string) => Promise<boolean>): Promise<void> {
  const registration = await workerRegistration()
  for (const notification of (await registration?.getNotifications()) ?? []) {
    if (await isGone(notification.tag)) notification.close()
  }
}
