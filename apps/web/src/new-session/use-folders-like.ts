import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { FoldersLike } from '@holdpoint/schema/endpoints/folders'
import type { NodeId } from '@holdpoint/schema/id'
import { useEffect, useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import { isPath } from './folder-options.ts'

/** Between two letters. */
const TYPING_MS = 80

/** What the path in the field may go on with, on the gateway's machine or another one. Undefined until that is known. */
export function useFoldersLike(typed: string, node?: NodeId): FoldersLike | undefined {
  const client = useClient()
  const [found, setFound] = useState<{ typed: string; node: NodeId | undefined; like: FoldersLike }>()
  useEffect(() => {
    if (!isPath(typed)) return
    let current = true
    const timer = setTimeout(() => {
      void settle(client.foldersLike(typed, node)).then((result) => {
        // What cannot be completed can still be typed.
        if (current && result.ok) setFound({ typed, node, like: result.value })
      })
    }, TYPING_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [client, typed, node])
  return found?.typed === typed && found.node === node ? found.like : undefined
}
