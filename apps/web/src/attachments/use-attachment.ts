import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { AttachmentId } from '@holdpoint/schema/id'
import { useEffect, useState } from 'react'

export interface LoadedAttachment {
  readonly url: string
  readonly isPicture: boolean
}

/** An attached file. The browser cannot load it by its URL: that request would not carry this page's secret. */
export function useAttachment(id: AttachmentId): LoadedAttachment | undefined {
  const client = useClient()
  const [loaded, setLoaded] = useState<LoadedAttachment>()
  useEffect(() => {
    const gone = new AbortController()
    let url: string | undefined
    client.attachment(id, gone.signal).then(
      (result) => {
        if (!result.ok || gone.signal.aborted) return
        url = URL.createObjectURL(result.value)
        setLoaded({ url, isPicture: result.value.type.startsWith('image/') })
      },
      // Called off with the page, or the gateway is gone: the sign of a file stays.
      () => {},
    )
    return () => {
      gone.abort()
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [client, id])
  return loaded
}
