/** Calls back when the page may have slept: it is looked at again, comes out of the cache, or the network is back. */
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
  return () => {
    document.removeEventListener('visibilitychange', whenVisible)
    window.removeEventListener('pageshow', whenRestored)
    window.removeEventListener('online', listener)
  }
}
