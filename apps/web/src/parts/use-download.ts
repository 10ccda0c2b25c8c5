import { ticketed } from '@holdpoint/client/ticketed'
import { useTransport } from '@holdpoint/react/hooks/use-transport'
import { useState } from 'react'

/** The browser reads the file itself, however large: a page could not hold it. */
export function useDownload() {
  const transport = useTransport()
  const [hasFailed, setFailed] = useState(false)
  async function download(path: string) {
    setFailed(false)
    try {
      location.assign(await ticketed(transport, path))
    } catch {
      setFailed(true)
    }
  }
  return { download, hasFailed }
}
