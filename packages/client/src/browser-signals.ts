/** Calls back when the link is in doubt: the page may have slept and is looked at again, or the network went or came. */
export function onWake(listener: () => void): () => void {
  const whenVisible = () => {
    if (document.visibilityState === 'visible') listener()
  }
  const whenRestored = (event: PageTransitionEvent) => {
    if (event.persisted) listener()
  }
  document.addEventListener('visibilitychange', whenVisible)
  window.addEventListener('pageshow', whenRestored)
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    document.removeEventListener('visibilitychange', whenVisible)
    window.removeEventListener('pageshow', whenRestored)
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
