import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Folders, FolderTrust } from '@holdpoint/schema/endpoints/folders'
import type { NodeId } from '@holdpoint/schema/id'
import { useEffect, useState } from 'react'
import { settle } from '../parts/use-remote.ts'

const TYPING_MS = 250

export type FolderCheck =
  | { readonly state: 'empty' | 'checking' | 'missing' }
  | { readonly state: 'found'; readonly path: string; readonly trusted: boolean; readonly trust?: FolderTrust }
  | { readonly state: 'failed'; readonly message: string }

/** Looks whether the gateway's machine, or another one, has this folder, a moment after the last letter. */
export function useFolder(typed: string, node?: NodeId): FolderCheck {
  const client = useClient()
  const path = typed.trim()
  const place = `${node ?? ''} ${path}`
  const [checked, setChecked] = useState<{ place: string; check: FolderCheck }>()
  useEffect(() => {
    if (path === '') return
    let current = true
    const timer = setTimeout(() => {
      void settle(client.folders(path, node)).then((result) => {
        if (current)
          setChecked({ place, check: result.ok ? checkOf(result.value) : { state: 'failed', message: result.message } })
      })
    }, TYPING_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [client, path, node, place])
  if (path === '') return { state: 'empty' }
  return checked?.place === place ? checked.check : { state: 'checking' }
}

function checkOf({ exists, path, trusted, trust }: Folders): FolderCheck {
  if (!exists || path === undefined) return { state: 'missing' }
  return { state: 'found', path, trusted, ...(trust && { trust }) }
}
