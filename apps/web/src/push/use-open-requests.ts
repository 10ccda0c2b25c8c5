import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { isOwnPath } from '../parts/own-path.ts'
import type { OpenRequest } from '../worker/open-card.ts'

/** Goes where the service worker asks for, after a tap on a notification, and tells it so. */
export function useOpenRequests(): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    const { serviceWorker } = navigator
    const onMessage = ({ data, ports }: MessageEvent) => {
      const { type, path } = Object(data) as Partial<OpenRequest>
      if (type !== 'open' || !isOwnPath(path, window.location.origin)) return
      navigate(path)
      ports[0]?.postMessage('done')
    }
    serviceWorker.addEventListener('message', onMessage)
    // Messages that came before anybody listened.
    serviceWorker.startMessages()
    return () => serviceWorker.removeEventListener('message', onMessage)
  }, [navigate])
}
