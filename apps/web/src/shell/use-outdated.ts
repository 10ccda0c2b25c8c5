import { useLink } from '@holdpoint/react/hooks/use-link'
import { useEffect, useState } from 'react'

/**
 * Whether the gateway serves another build of this app than the one that runs here. Checked after every reconnect: a
 * gateway is replaced while it is down (F53).
 */
export function useOutdated(): boolean {
  const { state } = useLink()
  const [isOutdated, setOutdated] = useState(false)
  useEffect(() => {
    if (state !== 'live') return
    const over = new AbortController()
    isServed(over.signal).then(
      (served) => !over.signal.aborted && setOutdated(!served),
      // Not reached: the link state shows that, and this is checked again after the reconnect.
      () => {},
    )
    return () => over.abort()
  }, [state])
  return isOutdated
}

/** The build names its first script after what is in it: the page that is served now names the same one, or it is another. */
async function isServed(signal: AbortSignal): Promise<boolean> {
  const src = document.querySelector('script[type="module"][src]')?.getAttribute('src')
  // The folder that it is in changes with each start of the gateway.
  const own = src?.slice(src.lastIndexOf('/'))
  if (!own) return true
  const reply = await fetch('/', { cache: 'no-store', signal })
  return !reply.ok || (await reply.text()).includes(`${own}"`)
}
